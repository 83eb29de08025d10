import { Type } from 'typebox'
import type { DrawThumbnail } from '../assets/index.ts'
import { type Auth, anyone, hasPermission, insufficientScope, requireRole } from '../auth/index.ts'
import { editorOf } from '../change-records/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { accountOf } from '../platform/http/core/principal.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import type { HttpRequest } from '../platform/http/core/request.ts'
import { allowEmbedding } from '../platform/http/links/signed-links.ts'
import { isExpectedVersion, isNotModified, sendNotModified } from '../platform/http/responses/etag.ts'
import type { App } from '../platform/http/server.ts'
import { type Storage, storageProblems } from '../platform/storage/index.ts'
import { changeSettings, readColor } from './change-settings.ts'
import { type CurrentShop, SETTINGS_CHANGED } from './current-shop.ts'
import { createLogos, type Logos } from './logo.ts'
import { shopSettingsProblems } from './problems.ts'
import {
  ColorsQuery,
  LogoFile,
  LogoParams,
  LogoQuery,
  ShopChangesBody,
  ShopColors,
  ShopSettingsBody,
  toColorsBody,
  toShopSettingsBody,
} from './schemas.ts'
import { type Shop, type ShopDefaults, shopOf } from './shop.ts'
import { findSettings } from './store.ts'

const tags = ['Settings']

/** A logo has another URL when it changes, so browsers and proxies may keep it. */
const FOREVER = 'public, max-age=31536000, immutable'

export interface ShopSettingsDeps extends Pick<Auth, 'recordAdminAct' | 'notices'> {
  db: Db
  clock: Clock
  storage: Storage
  drawThumbnail: DrawThumbnail
  defaults: ShopDefaults
  currentShop: Pick<CurrentShop, 'readAgain'>
}

/** Everyone can read how the shop appears. Only administrators can change it. */
export function shopSettingsRoutes(app: App, deps: ShopSettingsDeps): void {
  const logos = createLogos(deps)
  readRoutes(app, deps, logos)
  changeRoute(app, deps, logos)
  logoRoute(app, deps, logos)
}

const etagOf = ({ settings }: Shop): string => `"${settings.revision}"`

const bodyOf = (shop: Shop, logos: Logos): ShopSettingsBody =>
  toShopSettingsBody(shop, (logo) => `/v1/shop-settings/logo/${logos.idOf(logo)}`)

function readRoutes(app: App, { db, defaults }: ShopSettingsDeps, logos: Logos): void {
  app.get(
    '/shop-settings',
    {
      onRequest: anyone,
      config: { sets: ['ETag'] },
      schema: {
        operationId: 'getShopSettings',
        tags,
        summary: 'Read the settings of the shop',
        description:
          'The name, the logo, the colours and the languages of the shop, and who may register. The `ETag` is the version for `If-Match`.',
        response: { 200: ShopSettingsBody },
      },
    },
    async (_request, reply) => {
      const shop = await shopOf(db, defaults, await findSettings(db))
      reply.header('ETag', etagOf(shop))
      return bodyOf(shop, logos)
    },
  )

  app.get(
    '/shop-settings/colors',
    {
      onRequest: anyone,
      schema: {
        operationId: 'previewShopColors',
        problems: [shopSettingsProblems.shop_settings_invalid],
        tags,
        summary: 'Preview the colours of the shop',
        description:
          'Returns the colours that pages would derive from a colour of the shop. Texts are as dark or as light as their contrast to the background requires (WCAG 2.2 AA). If the theme has no such colour, the response is 422, as for the change.',
        querystring: ColorsQuery,
        response: { 200: ShopColors },
      },
    },
    async ({ query }) => {
      const color = readColor(defaults, query.accentColor) ?? defaults.shopColor
      return toColorsBody(color, defaults.lookWithAccent(color).colors)
    },
  )
}

function changeRoute(app: App, deps: ShopSettingsDeps, logos: Logos): void {
  const { db, clock, defaults, recordAdminAct, notices, currentShop } = deps
  app.patch(
    '/shop-settings',
    {
      onRequest: requireRole('admin', 'system:write'),
      config: { honours: ['If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'changeShopSettings',
        problems: [shopSettingsProblems.shop_settings_invalid],
        tags,
        summary: 'Change the settings of the shop',
        description:
          'Replaces the members that it names. A change has effect at once, on other nodes within a second. A logo is an image of the caller, which API keys need `assets:read` for. If the settings are not the version of `If-Match`, 412 `precondition_failed` contains the present `shopSettings`. The security events record the change as `shop_settings_changed`, with `"setting": "shop"`.',
        body: ShopChangesBody,
        response: { 200: ShopSettingsBody },
      },
    },
    async (request, reply) => {
      refuseUnreadableLogo(request)
      const requireVersion = (shop: Shop): void => {
        if (isExpectedVersion(request, etagOf(shop))) return
        const members = { shopSettings: bodyOf(shop, logos) }
        throw httpProblems.precondition_failed({ headers: { ETag: etagOf(shop) }, members })
      }
      const shop = await db.transaction().execute(async (trx) => {
        const change = { changes: request.body, editor: editorOf(request), now: clock.now() }
        const changed = await changeSettings(trx, { defaults, requireVersion }, change)
        const { registration } = changed
        const changedMembers = Object.keys(request.body).sort().join(', ')
        await recordAdminAct(trx, request, { setting: 'shop', changed: changedMembers, registration })
        await notices.notify(trx, SETTINGS_CHANGED)
        return changed
      })
      await currentShop.readAgain()
      reply.header('ETag', etagOf(shop))
      return bodyOf(shop, logos)
    },
  )
}

/** Everyone can read the logo, so a key that cannot read assets must not choose it. */
function refuseUnreadableLogo(request: HttpRequest & { body: ShopChangesBody }): void {
  if (request.body.logoAssetId == null || hasPermission(request, 'assets:read')) return
  throw insufficientScope('assets:read', 'The credential lacks `assets:read`, which the logo needs.')
}

function logoRoute(app: App, { db, defaults }: ShopSettingsDeps, logos: Logos): void {
  app.get(
    '/shop-settings/logo/:logoId',
    {
      onRequest: anyone,
      config: { countedAs: 'links' },
      schema: {
        operationId: 'getShopLogo',
        problems: [shopSettingsProblems.logo_not_found, storageProblems.storage_unavailable],
        tags,
        summary: 'Download the logo of the shop',
        description:
          'Returns WebP in sRGB. The response needs no credential and may be cached forever. A logo that the shop no longer has is 404.',
        params: LogoParams,
        querystring: LogoQuery,
        response: { 200: LogoFile, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const { shopLogo: logo } = await shopOf(db, defaults, await findSettings(db))
      const id = logo === undefined ? undefined : logos.idOf(logo)
      if (logo === undefined || id !== request.params.logoId) throw shopSettingsProblems.logo_not_found()
      const { width } = request.query
      allowEmbedding(reply)
      reply.header('Cache-Control', FOREVER)
      if (isNotModified(request, reply, `"${id}-${width}"`)) return sendNotModified(reply)
      const bytes = await logos.draw(logo, accountOf(request), width)
      return reply.type('image/webp').send(Buffer.from(bytes))
    },
  )
}
