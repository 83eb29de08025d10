import { defineProblems } from '../platform/problem.ts'

export const shopSettingsProblems = defineProblems({
  shop_settings_invalid: {
    status: 422,
    title: 'Shop settings not possible',
    help: 'Each member of `errors` names one setting and says what it accepts. Nothing was changed.',
  },
  logo_not_found: {
    status: 404,
    title: 'Logo not found',
    help: '`logo` of the shop settings states the URL of the present logo.',
  },
})
