import { defineProblems } from '../platform/problem.ts'

export const productProblems = defineProblems({
  product_not_found: { status: 404, title: 'Product not found' },
  image_not_found: {
    status: 404,
    title: 'Image of the product not found',
    help: '`images` of the product lists the images that it shows.',
  },
  product_invalid: {
    status: 422,
    title: 'Inconsistent product',
    help: 'Each member of `errors` names one fault. Every variant names one value for each option of the product, no two variants are equal, and price tiers ascend from a first tier for one piece.',
  },
})
