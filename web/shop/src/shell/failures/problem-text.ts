import { createProblemText } from '@platen/app/frame'

/** What customers read instead of the problem of the service. */
export const problemText = createProblemText({
  guest_limit_reached: 'shop.problemGuestLimit',
  storage_quota_exceeded: 'shop.problemStorage',
  product_archived: 'shop.problemProductGone',
  product_not_found: 'shop.problemProductGone',
  variant_unavailable: 'shop.problemVariantGone',
  design_not_found: 'shop.problemDesignNotFound',
  design_archived: 'shop.problemDesignArchived',
})
