import { requireRole } from '../../auth/index.ts'
import type { App } from '../../platform/http/server.ts'
import { productProblems } from '../problems.ts'
import { checkCurrency, checkTiers, unitAmountFor } from '../rules.ts'
import { PricePreviewBody, PricePreviewRequest } from './schemas.ts'

/** Adds the route with which an administrator sees the effect of price tiers before they are saved. */
export function pricePreviewRoutes(app: App): void {
  app.post(
    '/products/price-preview',
    {
      onRequest: requireRole('admin', 'products:read'),
      schema: {
        operationId: 'previewPrices',
        problems: [productProblems.product_invalid],
        tags: ['Products'],
        summary: 'Preview the prices of quantities',
        description:
          'Returns what quantities cost with price tiers that need not be those of a product, by the rules that orders use. Shipping and tax are not included. The operation stores nothing.',
        body: PricePreviewRequest,
        response: { 200: PricePreviewBody },
      },
    },
    async ({ body: { currency, priceTiers, quantities } }) => {
      const errors = [...checkCurrency(currency), ...checkTiers(priceTiers, '/priceTiers')]
      if (errors.length > 0) throw productProblems.product_invalid({ errors })
      const prices = quantities.map((quantity) => {
        const unitAmount = unitAmountFor(priceTiers, quantity)
        const money = (amount: number) => ({ amount, currency })
        return { quantity, unitAmount: money(unitAmount), totalAmount: money(unitAmount * quantity) }
      })
      return { prices }
    },
  )
}
