import { createProblemText } from '@platen/app/frame'
import { PROBLEM_TEXTS } from '../shell/problem-text.ts'

/** What administrators read if a change of the catalogue failed. */
export const catalogueProblemText = createProblemText({
  ...PROBLEM_TEXTS,
  product_invalid: 'consoleCatalogue.problemInvalid',
  validation_failed: 'consoleCatalogue.problemInvalid',
  precondition_failed: 'consoleCatalogue.problemChanged',
  product_not_found: 'consoleCatalogue.missing',
  asset_type_unsupported: 'consoleCatalogue.problemPicture',
  asset_unreadable: 'consoleCatalogue.problemPicture',
  asset_too_large: 'consoleCatalogue.problemPicture',
  variant_file_invalid: 'consoleCatalogue.problemFile',
  variant_file_faulty: 'consoleCatalogue.problemFileChanged',
  template_invalid: 'consoleCatalogue.problemTemplateFonts',
  design_not_draft: 'consoleCatalogue.problemNoDraft',
  design_not_found: 'consoleCatalogue.problemNoDraft',
  template_not_found: 'consoleCatalogue.missingTemplate',
  color_profile_in_use: 'consoleCatalogue.problemProfileInUse',
  color_profile_unsupported: 'consoleCatalogue.problemProfile',
  color_profile_unreadable: 'consoleCatalogue.problemProfile',
  storage_quota_exceeded: 'consoleCatalogue.problemQuota',
})
