import { escapeHtml } from '../html.ts'

/** A file of the protocol has at most this many addresses: https://www.sitemaps.org/protocol.html */
export const MOST_ADDRESSES = 50_000

interface Entry {
  id: string
  updatedAt: Date
}

export function sitemap(origin: string, pageNames: readonly string[], products: readonly Entry[]): string {
  const paths = ['/', ...pageNames.map((name) => `/pages/${name}`)]
  const pages = paths.map((path) => `<url><loc>${escapeHtml(origin + path)}</loc></url>`)
  const entries = products.map(({ id, updatedAt }) => {
    const address = escapeHtml(`${origin}/products/${id}`)
    return `<url><loc>${address}</loc><lastmod>${updatedAt.toISOString()}</lastmod></url>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${pages.join('\n')}
${entries.join('\n')}
</urlset>
`
}

/** Pages of one customer are of no use to others. */
export const robots = (origin: string): string => `User-agent: *
Disallow: /v1/
Disallow: /designs
Disallow: /orders
Disallow: /account
Allow: /v1/products/
Sitemap: ${origin}/sitemap.xml
`
