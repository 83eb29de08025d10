import { requireRole } from '../../auth/index.ts'
import type { App } from '../../platform/http/server.ts'
import type { OrderDeps } from '../context.ts'
import { changeTaxSettings } from './change-settings.ts'
import { NewTaxSettingsBody, TaxSettingsBody, toTaxSettingsBody } from './schemas.ts'
import { findTaxSettings } from './store.ts'

/** How the shop taxes what it sells. */
export function taxRoutes(
  app: App,
  { db, clock, charges, recordAdminAct }: Pick<OrderDeps, 'db' | 'clock' | 'charges' | 'recordAdminAct'>,
): void {
  app.get(
    '/tax-settings',
    {
      onRequest: requireRole('admin', 'products:read'),
      schema: {
        operationId: 'getTaxSettings',
        tags: ['Settings'],
        summary: 'How orders are taxed, by their destination',
        response: { 200: TaxSettingsBody },
      },
    },
    async () => toTaxSettingsBody(await findTaxSettings(db)),
  )

  app.put(
    '/tax-settings',
    {
      onRequest: requireRole('admin', 'products:write'),
      schema: {
        operationId: 'replaceTaxSettings',
        tags: ['Settings'],
        summary: 'Set how orders are taxed from now on; quotes and orders that were made stay as they are',
        body: NewTaxSettingsBody,
        response: { 200: TaxSettingsBody },
      },
    },
    async (request) => {
      const settings = await db.transaction().execute(async (trx) => {
        const changed = await changeTaxSettings(trx, request.body, clock.now())
        const { taxIncluded, rates } = changed
        await recordAdminAct(trx, request, { setting: 'tax_settings', taxIncluded, rates: rates.length })
        return changed
      })
      charges.forget()
      return toTaxSettingsBody(settings)
    },
  )
}
