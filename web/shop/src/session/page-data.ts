import type { Product, ShippingMethod } from '@platen/client'

interface PageData {
  product?: Product
  /** Those that can ship in the currency of the product. */
  shippingMethods?: ShippingMethod[]
  catalogue?: {
    filter: { category?: string; q?: string }
    page: { data: Product[]; nextCursor: string | null }
  }
}

/** What the service has put into the HTML of the first page, so that the page need not request it. */
export const pageData: PageData = read()

function read(): PageData {
  const text = document.getElementById('page-data')?.textContent
  return text == null ? {} : (JSON.parse(text) as PageData)
}
