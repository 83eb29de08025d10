import { roundLength } from './lengths.ts'

/**
 * The part of a layer type that the document model needs. `LayerEngine` defines how layers of the type are checked and
 * drawn.
 */
export interface LayerDefinition<Input> {
  /** The fields of the schema that only this type has, in its order. */
  fields: readonly string[]
  /** Values for optional fields. Every normalized layer has these fields. */
  defaults: Readonly<Record<string, unknown>>
  /** Paths of the fields in millimetres within the layer, such as `stroke/widthMm`, without the fields of the box. */
  lengths?: readonly string[]
  /** The text that may contain placeholders. */
  content?: FillableText
  assetIds?(layer: Input): string[]
  fonts?(layer: Input): FontReference[]
  /** How many characters of SVG path data the layer has. */
  pathLength?(layer: Input): number
  /** Tells whether the layer has dashes that `LayerEngine.countDashes` must count. */
  hasDashes?(layer: Input): boolean
  /**
   * Checks what the schema cannot express. Defaults to `checkBox`. Numbers in the layer may be NaN or infinite. Never
   * throws.
   */
  checkFields?(layer: Input, report: ReportFault): void
}

export interface FontReference {
  family: string
  weight: number
  style: 'normal' | 'italic'
}

export interface FillableText {
  field: string
  /** The maximum length in UTF-16 units, after the placeholders are filled. */
  maxLength: number
  /** The name of the text in messages. */
  name: string
  /** The issue to report if values make the text longer than `maxLength`. */
  tooLongCode: 'too_much_text' | 'qr_value_too_long'
}

export type LayerFaultCode =
  | 'number_not_finite'
  | 'too_many_decimals'
  | 'size_not_positive'
  | 'crop_outside_image'
  | 'dash_without_length'

/**
 * Reports a fault of a layer.
 * @param pointer JSON Pointer from the layer to the value at fault
 */
export type ReportFault = (code: LayerFaultCode, pointer: string, detail: string) => void

/** The type of a layer after `normalizeLayer`: fields with a default are required. */
export type WithDefaults<Input, Defaults> = Omit<Input, keyof Defaults & keyof Input> &
  Required<Pick<Input, keyof Defaults & keyof Input>>

/** Reports a box whose width or height is 0 after rounding. */
export function checkBox(layer: { width: number; height: number }, what: string, report: ReportFault): void {
  for (const side of ['width', 'height'] as const) {
    if (roundLength(layer[side]) === 0) {
      report('size_not_positive', `/${side}`, `The ${side} of a ${what} must be more than 0.`)
    }
  }
}
