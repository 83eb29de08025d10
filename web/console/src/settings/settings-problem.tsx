import { createProblemText } from '@platen/app/frame'
import { isCancelled } from '@platen/app/sign-in'
import { PlatenError } from '@platen/client'
import { Banner, type MessageKey, type Texts, useTexts } from '@platen/ui'
import { PROBLEM_TEXTS } from '../shell/problem-text.ts'

export const settingsProblemText = createProblemText({
  ...PROBLEM_TEXTS,
  asset_too_large: 'consoleSettings.problemLogo',
  asset_type_unsupported: 'consoleSettings.problemLogo',
  asset_unreadable: 'consoleSettings.problemLogo',
  signing_keys_too_young: 'consoleSettings.problemTooYoung',
  precondition_failed: 'consoleSettings.problemChanged',
  mail_text_invalid: 'consoleSettings.problemMailText',
  shop_settings_invalid: 'consoleSettings.problemInput',
  shipping_method_exists: 'consoleSettings.problemExists',
  shipping_method_deleted: 'consoleSettings.problemDeleted',
  shipping_method_invalid: 'consoleSettings.problemInput',
  tax_settings_invalid: 'consoleSettings.problemInput',
  too_many_shipping_methods: 'consoleSettings.problemTooMany',
  validation_failed: 'consoleSettings.problemInput',
})

const FAULTS: Readonly<Record<string, MessageKey>> = {
  contrast_too_low: 'consoleSettings.faultContrast',
  currency_unknown: 'consoleSettings.faultCurrency',
  days_descending: 'consoleSettings.faultDays',
  duplicate: 'consoleSettings.faultTwice',
  rates_not_ascending: 'consoleSettings.faultWeights',
  region_unknown: 'consoleSettings.faultRegion',
}

/** Says why a setting was not saved, and which entries are wrong. */
export function SettingsProblem({ error }: { error: Error | null }) {
  const texts = useTexts()
  if (error === null || isCancelled(error)) return null
  const faults = error instanceof PlatenError ? (error.errors ?? []) : []
  return (
    <Banner tone="danger" isLive>
      <p>{settingsProblemText(texts, error)}</p>
      {faults.length === 0 ? null : (
        <ul>
          {faults.map((fault) => (
            <li key={`${fault.pointer} ${fault.code} ${fault.detail}`}>{faultText(texts, fault)}</li>
          ))}
        </ul>
      )}
    </Banner>
  )
}

interface Fault {
  code: string
  /** Of texts of mails: what is not one. */
  placeholder?: unknown
  pointer?: string | undefined
  detail: string
}

/** A pointer such as `/zones/1/rates/0` begins with the number of the entry. */
function faultText({ text }: Texts, { code, pointer = '', detail, placeholder }: Fault): string {
  if (typeof placeholder === 'string') {
    return code === 'placeholder_unknown'
      ? text('consoleSettings.faultPlaceholder', { placeholder: `{{${placeholder}}}` })
      : text('consoleSettings.faultBraces', { braces: placeholder })
  }
  const key = FAULTS[code]
  const what = key === undefined ? detail : text(key)
  const [, list, index] = /^\/(zones|rates)\/(\d+)/.exec(pointer) ?? []
  if (list === undefined) return what
  const place = list === 'zones' ? 'consoleSettings.zone' : 'consoleSettings.taxRate'
  return `${text(place, { number: Number(index) + 1 })}: ${what}`
}
