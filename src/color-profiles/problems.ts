import { defineProblems } from '../platform/problem.ts'

/** Every error this feature shows a client. */
export const colorProfileProblems = defineProblems({
  color_profile_not_found: { status: 404, title: 'No such colour profile' },
  color_profile_in_use: {
    status: 409,
    title: 'A product uses the colour profile',
    help: 'The profile can be deleted when no product names it as its `outputProfileId`. Archived products count.',
  },
  color_profile_unsupported: {
    status: 422,
    title: 'The file is not a profile of a supported kind',
    help: 'ICC profiles of versions 2 and 4 for output devices (class `prtr`) in RGB, grey or CMYK are supported.',
  },
  color_profile_unreadable: {
    status: 422,
    title: 'The colour profile cannot be used',
    help: 'The file is cut short or damaged, or colours cannot be converted with it. Get it again from where it came.',
  },
})
