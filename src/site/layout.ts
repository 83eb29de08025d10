import type { Config, Look } from '../config/index.ts'
import { escapeHtml } from './html.ts'
import { STYLESHEET } from './stylesheet.ts'

export interface PageContent {
  title: string
  /** HTML of the main part, with the `h1`. */
  main: string
  /** HTML of the navigation beside the main part. */
  contents?: string
}

/** How customers can sign in. The pages of the shop contain it. */
export interface SignInSettings {
  providers: readonly { name: string; title: string }[]
  hasSms: boolean
  passwordMinLength: number
  isRegistrationOpen: boolean
}

export interface SiteSettings {
  /** Scheme, host and port under which clients reach the service, without a trailing slash. */
  origin: string
  production: boolean
  shopName: string
  /** Name of the payment provider, or `manual`. */
  paymentProvider: string
  shopLogo: Config['shopLogo']
  /** Languages of the shop. The first one is for readers of all others. */
  shopLanguages: readonly string[]
  shopSupportEmail: string | null
  look: Look
  /** Colours that the editor offers. */
  shopPalette: readonly string[]
  version: string
  signIn: SignInSettings
}

/** Renders a page of the service. It needs no script, and loads only the style sheet. */
export function layout({ title, main, contents }: PageContent, { shopName, version }: SiteSettings): string {
  const shop = escapeHtml(shopName)
  const side =
    contents === undefined ? '' : `<nav id="contents" aria-label="Contents" class="contents">${contents}</nav>`
  const toContents = contents === undefined ? '' : '<a class="to-contents" href="#contents">Contents</a>'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="base-uri 'none'; object-src 'none'; form-action 'self'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} - ${shop}</title>
<link rel="icon" href="${STYLESHEET.iconPath}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLESHEET.path}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><a class="name" href="/">${shop}</a>
<nav aria-label="Site"><a href="/docs">Documentation</a><a href="/docs/reference">API</a><a href="/problems">Errors</a>${toContents}</nav>
<form role="search" action="/docs/search"><input type="search" name="q" maxlength="100" aria-label="Search the documentation" placeholder="Search"><button>Search</button></form>
</header>
<div class="page${contents === undefined ? '' : ' with-contents'}">
<main id="main">
${main}
</main>
${side}
</div>
<footer><p>Platen ${escapeHtml(version)}</p></footer>
</body>
</html>
`
}
