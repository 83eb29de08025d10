import { defineProblems } from '../platform/problem.ts'

export const colorProfileProblems = defineProblems({
  color_profile_not_found: { status: 404, title: 'Colour profile not found' },
  color_profile_in_use: {
    status: 409,
    title: 'Colour profile in use by a product',
    help: 'Remove the profile from `outputProfileId` of every product first, including archived products.',
  },
  color_profile_unsupported: {
    status: 422,
    title: 'Unsupported kind of colour profile',
    help: 'Upload an ICC profile of version 2 or 4 for an output device (class `prtr`) in RGB, grey or CMYK.',
  },
  color_profile_unreadable: {
    status: 422,
    title: 'Colour profile unreadable',
    help: 'The file is truncated or damaged, or it cannot convert colours. Get it again from its source.',
  },
})
