import { defineProblems } from '../platform/problem.ts'

/** Every error this feature shows a client. The key is the wire code. */
export const designProblems = defineProblems({
  // Also the answer for another person's design, so that ids cannot be probed.
  design_not_found: { status: 404, title: 'No such design' },
  file_not_found: { status: 404, title: 'The design has no such file' },
  print_area_not_found: { status: 404, title: 'The product has no such print area' },
  product_not_found: { status: 422, title: 'No such product' },
  variant_not_found: { status: 422, title: 'The product has no such variant' },
  document_invalid: {
    status: 400,
    title: 'The document contradicts itself',
    help: 'Each member of `errors` names one fault: ids that are used twice, or limits that span several parts of the document.',
  },
  too_many_fonts: {
    status: 422,
    title: 'Too many uploaded fonts in one document (limit 16 families, 64 MiB)',
    help: 'The limits hold for the uploaded fonts that the texts of the document are set in; installed fonts do not count. `families` or `bytes` says how much it is, `limit` or `limitBytes` how much is allowed. Set some of the texts in other families. A draft that has come to name more uploaded families because of a later upload cannot be checked, previewed or finalized until then.',
  },
  design_not_draft: {
    status: 409,
    title: 'Only a draft can be changed',
    help: 'A finalized design never changes. Duplicate it and change the copy. `designStatus` says what state it is in.',
  },
  design_finalizing: {
    status: 409,
    title: 'The design is being finalized',
    help: 'This takes seconds. Repeat the request after the number of seconds in `Retry-After`.',
  },
  design_not_finalized: { status: 409, title: 'The design is not finalized' },
  design_archived: { status: 409, title: 'The design is archived' },
  preflight_failed: {
    status: 422,
    title: 'The design cannot be printed as it is',
    help: 'Each member of `errors` is an issue of the preflight report with severity `error`; `fix`, where there is one, is a JSON Patch of the document that resolves it. The draft is unchanged.',
  },
  text_too_complex: {
    status: 422,
    title: 'Text too complex to lay out',
    help: 'Laying out a text took more processor time or memory than one document may take. `errors` names the layer and its font. Shorten the text or use another font, then repeat the request. Nothing was changed.',
  },
  render_failed: {
    status: 422,
    title: 'The design could not be drawn',
    help: 'Drawing it failed or used more memory than a design may. The draft is unchanged; simplify it and try again.',
  },
  renderer_busy: {
    status: 503,
    title: 'The renderer has too much to do',
    help: 'Nothing was changed. Repeat the request after the number of seconds in `Retry-After`.',
  },
})
