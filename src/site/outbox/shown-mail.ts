import { createHash } from 'node:crypto'

/** A mail in the form in which the policy of the service lets a page show it. */
export interface ShownMail {
  html: string
  css: string
}

/**
 * Moves the styles of a mail to a style sheet, because the policy of the service refuses styles in pages. A second
 * policy in the page refuses scripts, also those of the service.
 *
 * @param stylesheetUrl where the page finds the style sheet
 */
export function showMail(html: string, stylesheetUrl: string): ShownMail {
  const sheets: string[] = []
  const names = new Map<string, string>()
  const page = html
    .replaceAll(/<style[^>]*>(.*?)<\/style\s*>/gis, (_, sheet: string) => {
      sheets.push(sheet)
      return ''
    })
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
      tag.replaceAll(/\sstyle="([^"]*)"/gi, (_, style: string) => {
        const name = names.get(style) ?? `s${names.size + 1}`
        names.set(style, name)
        return ` data-style="${name}"`
      }),
    )
  const rules = [...names].map(([style, name]) => `[data-style="${name}"] { ${declarationsOf(style)} }`)
  const css = [...rules, ...sheets].join('\n')
  const version = createHash('sha256').update(css).digest('hex').slice(0, 16)
  const head = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'">
<link rel="stylesheet" href="${stylesheetUrl}?${version}">`
  // Without an element `head`, the parser creates one for these elements.
  const heads = ['head', 'html', '!doctype'].map((name) => new RegExp(`<${name}[^>]*>`, 'i'))
  const place = heads.find((pattern) => pattern.test(page)) ?? /^/
  return { html: page.replace(place, (found) => `${found === '' ? '' : `${found}\n`}${head}`), css }
}

/** Decodes an attribute. Braces would end the rule. */
function declarationsOf(style: string): string {
  return style
    .replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/[{}]/g, '')
}
