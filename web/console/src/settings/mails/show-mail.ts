/** Elements that would load, run or send something. */
const REMOVED = 'script, style, link, meta, base, iframe, object, embed, form, audio, video, source, svg'

/**
 * Shows the HTML of a mail in an empty page under the policy of the service, which refuses styles and `data:` pictures in
 * HTML. Scripts may set styles and draw pictures. Pictures of other servers are left out, and links lead nowhere.
 */
export async function showMail(page: Document, html: string): Promise<void> {
  const { rest, sheets } = withoutStyles(html)
  const mail = new DOMParser().parseFromString(rest, 'text/html')
  for (const element of mail.querySelectorAll(REMOVED)) element.remove()
  for (const image of mail.querySelectorAll('img')) image.replaceWith(await drawn(image, page))
  const { defaultView } = page
  // The frame was removed, or shows another page by now.
  if (defaultView === null) return
  for (const element of [mail.body, ...mail.body.querySelectorAll<HTMLElement>('*')]) finish(element)
  page.documentElement.lang = mail.documentElement.lang
  page.title = mail.title
  page.adoptedStyleSheets = sheets.map((css) => sheetOf(defaultView, css))
  page.body.replaceWith(page.adoptNode(mail.body))
}

/** Takes out style sheets, and renames the attributes `style`: the parser would report both to the policy. */
function withoutStyles(html: string): { rest: string; sheets: readonly string[] } {
  const sheets: string[] = []
  const rest = html
    .replaceAll(/<style[^>]*>(.*?)<\/style\s*>/gis, (_, css: string) => {
      sheets.push(withoutUrls(css))
      return ''
    })
    .replaceAll(/<[a-z](?:"[^"]*"|'[^']*'|[^"'>])*>/gi, (tag) =>
      tag.replaceAll(/"[^"]*"|'[^']*'|\sstyle(?=\s*=)/gi, (part) => (/^\s/.test(part) ? ' data-style' : part)),
    )
  return { rest, sheets }
}

function withoutUrls(css: string): string {
  return css.replaceAll(/url\([^)]*\)/gi, 'none')
}

function sheetOf(window: Window & typeof globalThis, css: string): CSSStyleSheet {
  const sheet = new window.CSSStyleSheet()
  sheet.replaceSync(css)
  return sheet
}

/** Sets the styles of an element, and takes away what would load or leave the page. */
function finish(element: HTMLElement): void {
  const { dataset } = element
  element.style.cssText = withoutUrls(dataset['style'] ?? '')
  delete dataset['style']
  for (const name of element.getAttributeNames()) {
    if (name === 'background' || name.startsWith('on')) element.removeAttribute(name)
  }
  if (!element.hasAttribute('href')) return
  element.title = element.getAttribute('href') ?? ''
  element.removeAttribute('href')
}

/** @returns a drawing of the picture, or its text if it is not a part of the mail */
async function drawn(image: HTMLImageElement, page: Document): Promise<HTMLElement | string> {
  const bitmap = await bitmapOf(image.getAttribute('src') ?? '')
  if (bitmap === undefined) return image.alt
  const canvas = page.createElement('canvas')
  canvas.width = bitmap.width
  canvas.height = bitmap.height
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', image.alt)
  canvas.dataset['style'] = image.dataset['style']
  return canvas
}

async function bitmapOf(url: string): Promise<ImageBitmap | undefined> {
  const [, mediaType, base64] = /^data:(image\/[a-z]+);base64,([A-Za-z0-9+/=]+)$/.exec(url) ?? []
  if (mediaType === undefined || base64 === undefined) return undefined
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return createImageBitmap(new Blob([bytes], { type: mediaType })).catch(() => undefined)
}
