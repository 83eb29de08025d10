import Type, { type Static } from 'typebox'
import type { DocumentProblemCode } from '../document/check-document.ts'
import type { Layer } from '../document/layer-types.ts'

/** The codes of layout issues. Preflight reports faults of the document under the codes of `DocumentProblem`. */
export type LayoutIssueCode =
  | 'asset_missing'
  | 'bleed_missing'
  | 'font_unknown'
  | 'glyphs_missing'
  | 'image_resolution_low'
  | 'invalid_path'
  | 'layer_outside_print_area'
  | 'line_too_thin'
  | 'outside_safe_area'
  | 'print_area_empty'
  | 'print_area_unknown'
  | 'product_unavailable'
  | 'qr_contrast_low'
  | 'qr_too_small'
  | 'qr_value_too_long'
  | 'text_overflow'
  | 'text_too_small'

export type IssueCode = LayoutIssueCode | DocumentProblemCode

const closed = { additionalProperties: false } as const

export const PreflightIssueSchema = Type.Object(
  {
    code: Type.Unsafe<IssueCode>({ type: 'string', description: 'Stable identifier. Later versions may add codes.' }),
    severity: Type.Unsafe<'error' | 'warning'>({ type: 'string', enum: ['error', 'warning'] }),
    pointer: Type.String({ description: "JSON Pointer (RFC 6901) from the root of the design's document." }),
    message: Type.String(),
    measured: Type.Optional(Type.Number()),
    limit: Type.Optional(Type.Number()),
    unit: Type.Optional(Type.String()),
    fix: Type.Optional(
      Type.Array(
        Type.Object(
          { op: Type.Unsafe<'replace'>({ type: 'string' }), path: Type.String(), value: Type.Unknown() },
          closed,
        ),
        { description: 'JSON Patch (RFC 6902) on the document that resolves this issue and causes no other issue.' },
      ),
    ),
  },
  { ...closed, title: 'PreflightIssue' },
)

export const PreflightReportSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'True if no issue has the severity error.' }),
    issues: Type.Array(PreflightIssueSchema),
  },
  { ...closed, title: 'PreflightReport' },
)

export type PreflightIssue = Static<typeof PreflightIssueSchema>
export type PreflightReport = Static<typeof PreflightReportSchema>
export type JsonPatch = NonNullable<PreflightIssue['fix']>

/** An issue of one layer, before its position in the document and its fix are known. */
export interface Finding extends Pick<PreflightIssue, 'severity' | 'message' | 'measured' | 'limit' | 'unit'> {
  code: LayoutIssueCode
  /** The field that causes the issue; empty if the whole layer does. */
  field: string
  /**
   * Generates versions of the layer that may resolve the issue, the least intrusive first. Preflight offers the first
   * version that causes no new issue. A generator is enough because most versions are never needed. No version changes
   * the text or image of a customer.
   */
  remedies?: () => Iterable<Layer>
}
