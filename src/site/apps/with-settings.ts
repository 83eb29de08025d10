import { escapeHtml } from '../html.ts'
import type { SiteSettings } from '../layout.ts'
import { hasOutbox } from '../outbox/has-outbox.ts'

/** Puts what an application needs to know of the settings into its built HTML. */
export function withSettings(html: string, settings: SiteSettings): string {
  return html
    .replaceAll('%SHOP_NAME%', () => escapeHtml(settings.shopName))
    .replaceAll('%LANGUAGES%', () => escapeHtml(settings.shopLanguages.join(', ')))
    .replaceAll('%OUTBOX%', () => (hasOutbox(settings) ? 'yes' : 'no'))
    .replaceAll('%PAYMENT_PROVIDER%', () => escapeHtml(settings.paymentProvider))
    .replaceAll('%PALETTE%', () => escapeHtml(settings.shopPalette.join(', ')))
    .replaceAll('%SIGN_IN%', () => escapeHtml(JSON.stringify(settings.signIn)))
}
