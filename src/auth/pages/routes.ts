import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/index.ts'
import { publicRoute } from '../../platform/http/core/guard.ts'
import type { App } from '../../platform/http/server.ts'

type PageConfig = Pick<Config, 'passwordMinLength'>

interface MailPage {
  path: string
  title: string
  action: string
  fields: string
  button: string
  done: string
}

const pagesFor = ({ passwordMinLength: minLength }: PageConfig): readonly MailPage[] => [
  {
    path: '/verify-email',
    title: 'Confirm your email address',
    action: '/v1/api/auth/email/verify',
    fields: '',
    button: 'Confirm',
    done: 'Your email address is confirmed. You can sign in now. If your password does not work, use the link in our mail.',
  },
  {
    path: '/confirm-email',
    title: 'Confirm your new email address',
    action: '/v1/api/auth/email/confirm',
    fields: '',
    button: 'Confirm',
    done: 'Your account has this email address now. Other devices were signed out. Use it for your next sign-in.',
  },
  {
    path: '/reset-password',
    title: 'Choose a new password',
    action: '/v1/api/auth/password/reset',
    fields: `<label>New password, ${minLength} characters or more<input type="password" name="password" autocomplete="new-password" minlength="${minLength}" required></label>`,
    button: 'Set the password',
    done: 'Your password was changed, and all devices were signed out. Sign in with the new password.',
  },
]

/**
 * Adds the pages that links in mails open. Programs that scan mails open links, too, so the GET request changes
 * nothing: the script of the page sends the token when the user presses the button.
 */
export function mailPageRoutes(app: App, config: PageConfig): void {
  const options = { onRequest: publicRoute, schema: { hide: true } }
  for (const page of pagesFor(config)) {
    app.get(page.path, options, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(html(page)),
    )
  }
  const asset = (name: string) => readFileSync(join(import.meta.dirname, name))
  const script = asset('mail-links.js')
  const style = asset('pages.css')
  app.get('/pages/mail-links.js', options, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  )
  app.get('/pages/pages.css', options, async (_request, reply) => reply.type('text/css; charset=utf-8').send(style))
}

function html({ title, action, fields, button, done }: MailPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="base-uri 'none'; object-src 'none'; form-action 'self'">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="stylesheet" href="/pages/pages.css">
<script src="/pages/mail-links.js" defer></script>
</head>
<body>
<h1>${title}</h1>
<form data-action="${action}" data-done="${done}">${fields}<button>${button}</button></form>
<p role="status"></p>
</body>
</html>
`
}
