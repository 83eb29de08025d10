import type { TObject } from 'typebox'
import { roundLength } from './lengths.ts'

/** What one type of layer is in a document. How it is checked and drawn is in its `LayerEngine`. */
export interface LayerDefinition<Input> {
  /** Closed, with the fields of `placed` first. */
  schema: TObject
  /** Values of the optional fields that every normalized layer has. */
  defaults: Readonly<Record<string, unknown>>
  /** Fields in millimetres besides those of the box, as paths from the layer. */
  lengths?: readonly string[]
  /** The text that may contain placeholders. */
  content?: FillableText
  assetIds?(layer: Input): string[]
  fonts?(layer: Input): FontReference[]
  /** How many characters of SVG path data the layer has. */
  pathLength?(layer: Input): number
  /** Whether `LayerEngine.countDashes` has dashes to count. */
  hasDashes?(layer: Input): boolean
  /** Checks what the schema cannot express; `checkBox` if left out. Takes fields with any numbers and never throws. */
  checkFields?(layer: Input, report: ReportFault): void
}

export interface FontReference {
  family: string
  weight: number
  style: 'normal' | 'italic'
}

export interface FillableText {
  field: string
  /** UTF-16 units after the placeholders are filled. */
  maxLength: number
  /** What messages call the text. */
  name: string
  /** The issue of values that make the text longer than `maxLength`. */
  tooLongCode: 'too_much_text' | 'qr_value_too_long'
}

export type LayerFaultCode =
  | 'number_not_finite'
  | 'too_many_decimals'
  | 'size_not_positive'
  | 'crop_outside_image'
  | 'dash_without_length'

/** @param pointer from the layer */
export type ReportFault = (code: LayerFaultCode, pointer: string, detail: string) => void

/** A layer after `normalizeLayer`. */
export type WithDefaults<Input, Defaults> = Omit<Input, keyof Defaults & keyof Input> &
  Required<Pick<Input, keyof Defaults & keyof Input>>

/** Checks that a box has an extent after rounding. */
export function checkBox(layer: { width: number; height: number }, what: string, report: ReportFault): void {
  for (const side of ['width', 'height'] as const) {
    if (roundLength(layer[side]) === 0) {
      report('size_not_positive', `/${side}`, `The ${side} of a ${what} must be more than 0.`)
    }
  }
}
