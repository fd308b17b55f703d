"""django-oauth-toolkit as a provider of OpenID Connect. Usage: django_provider.py PORT REDIRECT-URI"""

import os
import sys

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

USER, PASSWORD, CLIENT, SECRET = "ada", "a password of django", "studio", "a secret of django"


# Its views are there once the settings are.
urlpatterns = []


def main(port, redirect):
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    settings.configure(
        SECRET_KEY=os.urandom(16).hex(), DEBUG=False, ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, LOGIN_URL="/login/",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["PROVIDER_DATABASE"]}},
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
        MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        OAUTH2_PROVIDER={"OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": pem.decode(), "PKCE_REQUIRED": True,
                         "SCOPES": {"openid": "OpenID", "email": "address"}})
    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command, execute_from_command_line
    from oauth2_provider.models import Application
    from django.urls import include, path
    urlpatterns.extend([path("login/", login), path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))])
    call_command("migrate", verbosity=0)
    user = User.objects.create_user(USER, password=PASSWORD)
    Application.objects.create(
        name="studio", user=user, client_id=CLIENT, client_secret=SECRET, client_type="confidential", authorization_grant_type="authorization-code",
        redirect_uris=redirect, algorithm="RS256", skip_authorization=True)
    execute_from_command_line(["manage", "runserver", f"127.0.0.1:{port}", "--noreload"])


def login(request):
    from django.contrib.auth import authenticate, login as enter
    from django.http import HttpResponse, HttpResponseRedirect
    if request.method == "POST":
        user = authenticate(username=request.POST["user"], password=request.POST["password"])
        if user is not None:
            enter(request, user)
            return HttpResponseRedirect(request.GET["next"])
    return HttpResponse(
        "<!doctype html><html lang=en><title>Provider</title><form method=post><label>User <input name=user></label>"
        "<label>Password <input name=password type=password></label><button>Enter</button></form></html>")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
