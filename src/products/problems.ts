import { defineProblems } from '../platform/problem.ts'

export const productProblems = defineProblems({
  product_not_found: { status: 404, title: 'Product not found' },
  image_not_found: {
    status: 404,
    title: 'Image of the product not found',
    help: '`images` of the product lists the images that it shows.',
  },
  variant_file_invalid: {
    status: 422,
    title: 'Unreadable file of variants',
    help: '`errors` states what is wrong with the file as a whole, such as a missing column. Nothing was changed.',
  },
  variant_file_faulty: {
    status: 422,
    title: 'Faulty lines in the file of variants',
    help: 'Each member of `errors` names a `line` and a `column`. Nothing was changed: correct the lines, then send the file again. With `dryRun=true`, the response lists all lines.',
  },
  product_invalid: {
    status: 422,
    title: 'Inconsistent product',
    help: 'Each member of `errors` names one fault. Every variant names one value for each option of the product, no two variants are equal, and price tiers ascend from a first tier for one piece.',
  },
})
