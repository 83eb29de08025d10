import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { makePhoto } from '../../scripts/lib/postcard.ts'
import type { DesignDocument, Layer, TextLayer } from '../../src/drawing/index.ts'
import { normalizeDocument } from '../../src/drawing/index.ts'
import { qrCode } from '../../src/drawing/layers/qr/qr-code.ts'
import { withOtherTexts } from '../lib/postcards.ts'

const [WIDTH_MM, HEIGHT_MM, BLEED_MM] = [148, 105, 3]

/** A server of HTML pages that look like A6 postcards. */
export interface PostcardServer {
  origin: string
  close(): Promise<unknown>
}

/**
 * Serves the postcard at `/`, and the postcard with other texts at `/?n=`. The conditions are those of a service that
 * draws with a browser: fonts are cached, and each postcard has its own photo.
 */
export async function servePostcards(document: DesignDocument): Promise<PostcardServer> {
  const photo = makePhoto()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const face = FACES.find((one) => pathname === fontPath(one))
    if (face !== undefined) {
      response.writeHead(200, { 'content-type': 'font/woff2', 'cache-control': 'max-age=3600, immutable' })
      response.end(readFileSync(fontFile(face)))
    } else if (pathname === '/photo.jpg') {
      response.writeHead(200, { 'content-type': 'image/jpeg', 'cache-control': 'no-store' }).end(photo)
    } else {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      response.end(postcardPage(withOtherTexts(document, Number(searchParams.get('n')))))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

/** Returns an HTML page with each side of the postcard on a sheet, including the bleed. */
function postcardPage(document: DesignDocument): string {
  const sheets = normalizeDocument(document).placements.map(({ layers }) => {
    return `<section>${layers.map(element).join('')}</section>`
  })
  return `<!doctype html><meta charset="utf-8"><style>
${FACES.map(fontFace).join('\n')}
@page { size: ${WIDTH_MM + 2 * BLEED_MM}mm ${HEIGHT_MM + 2 * BLEED_MM}mm; margin: 0 }
body { margin: 0 }
section { position: relative; width: ${WIDTH_MM + 2 * BLEED_MM}mm; height: ${HEIGHT_MM + 2 * BLEED_MM}mm; overflow: hidden; break-after: page }
section > * { position: absolute; display: flex }
p { margin: 0; white-space: pre-wrap; flex: 1 }
</style>${sheets.join('')}`
}

const FACES = [
  ['Inter', 'inter', 'latin', 400, 'normal'],
  ['Inter', 'inter', 'latin', 700, 'normal'],
  ['Inter', 'inter', 'latin', 400, 'italic'],
  ['Inter Greek', 'inter', 'greek', 400, 'normal'],
  ['Inter Cyrillic', 'inter', 'cyrillic', 400, 'normal'],
  ['Noto Sans Arabic', 'noto-sans-arabic', 'arabic', 400, 'normal'],
  ['Noto Sans Devanagari', 'noto-sans-devanagari', 'devanagari', 400, 'normal'],
] as const

type Face = (typeof FACES)[number]

function fontFace(face: Face): string {
  const [family, , , weight, style] = face
  return `@font-face { font-family: "${family}"; font-weight: ${weight}; font-style: ${style}; src: url(${fontPath(face)}) }`
}

function fontPath([, id, subset, weight, style]: Face): string {
  return `/${id}-${subset}-${weight}-${style}.woff2`
}

function fontFile(face: Face): string {
  return createRequire(import.meta.url).resolve(`@fontsource/${face[1]}/files${fontPath(face)}`)
}

function element(layer: Layer): string {
  const { x, y, width, height } = layer
  const box = `left:${x + BLEED_MM}mm;top:${y + BLEED_MM}mm;width:${width}mm;height:${height}mm`
  switch (layer.type) {
    case 'text':
      return `<div style="${box};${textStyle(layer)}"><p>${layer.text}</p></div>`
    case 'image':
      return `<img style="${box};object-fit:cover" src="/photo.jpg">`
    case 'qr': {
      const code = qrCode(layer.value, layer.errorCorrection)
      const path = code?.dark.map((dark) => `M${dark.x + 4} ${dark.y + 4}h${dark.width}v${dark.height}h-${dark.width}z`)
      const size = (code?.size ?? 0) + 8
      return `<svg style="${box};background:${layer.background}" viewBox="0 0 ${size} ${size}"><path fill="${layer.color}" d="${path?.join('')}"/></svg>`
    }
    case 'shape': {
      const { stroke, fill = 'none' } = layer
      const pen =
        stroke && `stroke="${stroke.color}" stroke-width="${stroke.widthMm}" stroke-dasharray="${stroke.dashMm ?? ''}"`
      const shapes = {
        rect: `<rect width="${width}" height="${height}" rx="${layer.cornerRadius ?? 0}"`,
        ellipse: `<ellipse cx="${width / 2}" cy="${height / 2}" rx="${width / 2}" ry="${height / 2}"`,
        line: `<path d="M0 0L${width} ${height}"`,
        path: `<path d="${layer.path}"`,
      }
      const view = `viewBox="0 0 ${Math.max(width, 1)} ${Math.max(height, 1)}"`
      const size = `width:${Math.max(width, 1)}mm;height:${Math.max(height, 1)}mm;overflow:visible`
      return `<svg style="${box};${size}" ${view}>${shapes[layer.shape]} fill="${fill}" ${pen ?? ''}/></svg>`
    }
  }
}

function textStyle({
  fontFamily,
  fontWeight,
  fontStyle,
  fontSizePt,
  color,
  align,
  verticalAlign,
  lineHeight,
}: TextLayer) {
  const vertical = { top: 'start', middle: 'center', bottom: 'end' }[verticalAlign]
  const family = `'${fontFamily}','Inter Greek','Inter Cyrillic'`
  return `font:${fontStyle} ${fontWeight} ${fontSizePt}pt/${lineHeight} ${family};color:${color};text-align:${align};align-items:${vertical}`
}
