FROM node:22-slim AS pages
WORKDIR /srv/portal
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev

FROM python:3.11-slim
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 VAR=/var/lib/portal STATIC_ROOT=/srv/static
WORKDIR /srv/portal
COPY requirements/app.txt requirements/app.txt
RUN pip install --no-cache-dir --require-hashes -r requirements/app.txt
COPY --from=pages /srv/portal/node_modules node_modules
COPY manage.py ./
COPY locale locale
COPY static static
COPY templates templates
COPY npu_inventory npu_inventory
COPY accounting accounting
COPY scheduling scheduling
COPY portal portal
# Hashed names for the pages' files need no secret, only a value where the settings want one.
RUN for text in locale/*/LC_MESSAGES/django.po; do pybabel --quiet compile -i "$text" -o "${text%.po}.mo"; done \
 && SECRET_KEY=only-while-the-image-is-built-0123456789 python manage.py collectstatic --no-input \
 && useradd --system portal && install -d -o portal "$VAR"
USER portal
EXPOSE 8000
CMD ["gunicorn", "portal.wsgi", "--bind=0.0.0.0:8000", "--worker-class=gthread", "--threads=4", "--no-control-socket"]
