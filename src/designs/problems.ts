import { Type } from 'typebox'
import { PreflightIssueSchema } from '../drawing/index.ts'
import { defineProblems, type Problem } from '../platform/problem.ts'
import { storageProblems } from '../platform/storage/index.ts'

/** The issues of a report that refuse it. `pointer` leads from the root of the request body or of the document. */
export const PREFLIGHT_ERRORS = Type.Array(
  Type.Object(
    {
      ...PreflightIssueSchema.properties,
      severity: Type.Optional(PreflightIssueSchema.properties.severity),
      message: Type.Optional(PreflightIssueSchema.properties.message),
      detail: Type.String(),
      layer: Type.Optional(Type.String({ description: 'JSON Pointer of the layer in the document of the design.' })),
    },
    { title: 'PreflightError' },
  ),
)

/** All errors of this feature. The key is the wire code. */
export const designProblems = defineProblems({
  // The service also responds with this problem for a design of another account, so that clients cannot find out which
  // designs exist.
  design_not_found: {
    status: 404,
    title: 'Design not found',
    ofAccount: true,
    help: 'No design of the caller has this id. `GET /designs` lists the designs of the caller. Operators who act for a customer send `Platen-Customer`; without it, they reach only the designs of their own account.',
  },
  font_file_not_found: {
    status: 404,
    title: 'Font file not found',
    help: 'After an upgrade, installed fonts have other file names. `GET /fonts/files` lists the current ones.',
  },
  file_not_found: {
    status: 404,
    title: 'File of the design not found',
    help: '`finalization.files` of the design lists the file ids.',
  },
  print_area_not_found: {
    status: 404,
    title: 'Print area not found',
    help: '`printAreas` of the product lists the ids.',
  },
  product_not_found: { status: 422, title: 'Product not found', help: '`GET /products` lists the products.' },
  variant_not_found: {
    status: 422,
    title: 'Variant not found in the product',
    help: '`variants` of the product lists the ids.',
  },
  template_not_found: {
    status: 422,
    title: 'Template not found',
    help: '`GET /templates` lists the templates. No design can be made from an archived one.',
  },
  template_product_mismatch: {
    status: 422,
    title: 'Template of another product',
    help: '`GET /templates?productId=` lists the templates of the product.',
  },
  layer_locked: {
    status: 422,
    title: 'Layer locked by the template',
    statesErrors: true,
    help: 'The design was made from a template, and the member `lock` of a layer forbids this change. Each member of `errors` names a place; a layer that was removed is named by its place in the saved document. The draft is unchanged.',
  },
  document_invalid: {
    status: 400,
    title: 'Invalid design document',
    statesErrors: true,
    help: 'Each member of `errors` names one fault, such as a duplicate id, or an exceeded limit of the whole document.',
  },
  too_many_fonts: {
    status: 422,
    title: 'Too many uploaded fonts in one document (limit 16 families, 64 MiB)',
    members: {
      families: Type.Optional(Type.Integer({ description: 'Number of uploaded families in the document.' })),
      limit: Type.Optional(Type.Integer()),
      bytes: Type.Optional(Type.Integer({ description: 'Bytes of the fonts of the document.' })),
      limitBytes: Type.Optional(Type.Integer()),
    },
    help: 'The limits cover the uploaded fonts that the texts of the document use. Installed fonts do not count. `families` or `bytes` states the current amount, `limit` or `limitBytes` the maximum. Use other fonts for some of the texts. A draft can also exceed the limits after it was saved, if a font is uploaded whose family its texts already name. Such a draft cannot be checked, previewed or finalized until its texts are changed.',
  },
  design_not_draft: {
    status: 409,
    title: 'Only a draft can be changed',
    members: { designStatus: Type.String() },
    help: 'A finalized or archived design never changes. Duplicate it and change the copy. `designStatus` states the status of this design.',
  },
  design_finalizing: {
    status: 409,
    title: 'Finalization in progress',
    help: 'Finalizing takes seconds. Repeat the request after the number of seconds in `Retry-After`.',
  },
  design_not_finalized: {
    status: 409,
    title: 'Design not finalized',
    help: 'Finalize the design first: `POST /designs/{designId}/finalize`.',
  },
  revision_not_found: {
    status: 404,
    title: 'Revision of the design not found',
    help: '`GET /designs/{designId}/revisions` lists the revisions. The service keeps the last 100.',
  },
  patch_invalid: {
    status: 422,
    title: 'JSON Patch cannot be applied',
    help: '`pointer` names the operation (`/0` for the first). Its path or source does not exist, or the result would be too deep or too large. The design is unchanged.',
  },
  patch_test_failed: {
    status: 409,
    title: 'Test of a JSON Patch failed',
    help: '`pointer` names the operation whose `value` differs from the design. Read the design again, then patch the new version.',
  },
  design_archived: { status: 409, title: 'Design archived', help: 'Duplicate the design and use the copy.' },
  preflight_failed: {
    status: 422,
    title: 'Design failed preflight',
    statesErrors: true,
    members: { errors: PREFLIGHT_ERRORS },
    help: 'Each member of `errors` is an issue of the preflight report with severity `error`. Its `fix`, if present, is a JSON Patch of the document that resolves it. The draft is unchanged.',
  },
  text_too_complex: {
    status: 422,
    title: 'Text too complex to lay out',
    help: 'Text layout exceeded the processor time or memory that one document may use. `errors` names the layer and its font. Shorten the text or use another font, then repeat the request. Nothing was changed.',
  },
  render_failed: {
    status: 422,
    title: 'Rendering failed',
    help: 'Rendering crashed, or exceeded the processor time or memory that one design may use. The draft is unchanged. Simplify the design, then try again.',
  },
  finalization_failed: {
    status: 500,
    title: 'Finalization failed',
    help: 'An internal error ended the finalization. The draft is unchanged. Finalize it again. If it fails again, inform the operator of the service.',
  },
  renderer_busy: {
    status: 503,
    title: 'Renderer busy',
    help: 'Nothing was changed. Repeat the request after the number of seconds in `Retry-After`.',
  },
})

/** The refusal of work that waits for too much other work of the same kind. */
export function rendererBusy(detail: string): Problem {
  return designProblems.renderer_busy({ detail, headers: { 'Retry-After': '2' } })
}

/** The problems of a document that is saved. */
export const SAVE_PROBLEMS = [
  designProblems.document_invalid,
  designProblems.variant_not_found,
  designProblems.too_many_fonts,
  designProblems.text_too_complex,
  designProblems.renderer_busy,
  storageProblems.storage_quota_exceeded,
]

/** The problems of files that are rendered during a request. */
export const DRAW_PROBLEMS = [
  designProblems.text_too_complex,
  designProblems.render_failed,
  designProblems.renderer_busy,
  storageProblems.storage_unavailable,
]
