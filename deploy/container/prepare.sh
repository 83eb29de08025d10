#!/bin/sh
# Creates passwords and the files of settings for compose.yaml. Usage: deploy/container/prepare.sh shop.example.com
# It changes no file that exists.
set -eu
domain=${1:?Usage: deploy/container/prepare.sh HOST_NAME}
cd "$(dirname "$0")"
umask 077
if [ -e platen.env ] || [ -e s3.env ] || [ -e secrets ]; then
  echo "platen.env, s3.env or secrets exists already. Nothing was changed." >&2
  exit 1
fi
random_hex() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }
random_base64() { head -c "$1" /dev/urandom | base64; }

mkdir -m 700 secrets
database=$(random_hex 24)
key=GK$(random_hex 12)
secret=$(random_hex 32)
printf %s "$database" >secrets/database_password
random_base64 32 >secrets/secret_key
random_hex 32 >secrets/s3_rpc_secret
# The users of the containers read these files, which are mounted one by one. Other users cannot enter the folder.
chmod 444 secrets/*
cat >s3.env <<END
GARAGE_DEFAULT_ACCESS_KEY=$key
GARAGE_DEFAULT_SECRET_KEY=$secret
END
cat >platen.env <<END
PLATEN_PUBLIC_URL=https://$domain
PLATEN_DATABASE_URL=postgres://platen:$database@postgres:5432/platen
PLATEN_S3_ACCESS_KEY_ID=$key
PLATEN_S3_SECRET_ACCESS_KEY=$secret
PLATEN_ADMIN_EMAIL=admin@$domain
PLATEN_ADMIN_PASSWORD=$(random_base64 18)
# Encrypts the secret in backups. Keep it elsewhere, too.
PLATEN_BACKUP_PASSPHRASE=$(random_base64 24)
# Mails to customers:
#PLATEN_SMTP_URL=smtps://user:password@mail.example.com
#PLATEN_MAIL_FROM=Shop <shop@$domain>
END
echo "PLATEN_DOMAIN=$domain" >.env
echo "Created. Set PLATEN_SMTP_URL in deploy/container/platen.env; the administrator's password is there, too."
