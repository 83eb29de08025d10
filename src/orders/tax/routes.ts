import { type Auth, requireRole } from '../../auth/index.ts'
import { editorOf } from '../../change-records/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/server.ts'
import { orderProblems } from '../problems.ts'
import { changeTaxSettings } from './change-settings.ts'
import { NewTaxSettingsBody, TaxSettingsBody, toTaxSettingsBody } from './schemas.ts'
import { findTaxSettings } from './store.ts'

export function taxRoutes(
  app: App,
  {
    db,
    clock,
    charges,
    recordAdminAct,
  }: {
    db: Db
    clock: Clock
    charges: { invalidate(): void }
    recordAdminAct: Auth['recordAdminAct']
  },
): void {
  app.get(
    '/tax-settings',
    {
      onRequest: requireRole('admin', 'products:read'),
      schema: {
        operationId: 'getTaxSettings',
        tags: ['Settings'],
        summary: 'Read the tax settings',
        description: 'A destination without a rate is not taxed.',
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
        problems: [orderProblems.tax_settings_invalid],
        tags: ['Settings'],
        summary: 'Replace the tax settings',
        description:
          'Applies to new quotes and orders; existing ones do not change. Takes effect at once in this process and within two seconds in the others. The security events record it as `shop_settings_changed`.',
        body: NewTaxSettingsBody,
        response: { 200: TaxSettingsBody },
      },
    },
    async (request) => {
      const settings = await db.transaction().execute(async (trx) => {
        const changed = await changeTaxSettings(trx, request.body, { editor: editorOf(request), now: clock.now() })
        const { taxIncluded, rates } = changed
        await recordAdminAct(trx, request, { setting: 'tax_settings', taxIncluded, rates: rates.length })
        return changed
      })
      charges.invalidate()
      return toTaxSettingsBody(settings)
    },
  )
}
