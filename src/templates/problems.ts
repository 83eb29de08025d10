import { Type } from 'typebox'
import { defineProblems } from '../platform/problem.ts'

export const templateProblems = defineProblems({
  // Also the response for an archived template.
  template_not_found: { status: 404, title: 'Template not found', help: '`GET /templates` lists the templates.' },
  print_area_not_found: {
    status: 404,
    title: 'Print area not found',
    help: '`printAreas` of the product lists the ids.',
  },
  design_not_found: {
    status: 422,
    title: 'Design not found',
    help: 'A template is made from a draft of the administrator. `GET /designs` lists the designs of the caller.',
  },
  design_not_draft: {
    status: 409,
    title: 'Only a draft can become a template',
    members: { designStatus: Type.String() },
    help: 'Duplicate the design and publish the copy. `designStatus` states the status of this design.',
  },
  template_invalid: {
    status: 422,
    title: 'Draft cannot become a template',
    statesErrors: true,
    help: 'Each member of `errors` names one fault: `font_uploaded` for a text in an uploaded font, which the designs of customers cannot use, `font_unknown` for a text in a font that is not installed, or `asset_missing` for an image that was deleted. `pointer` leads from the root of the draft.',
  },
})
