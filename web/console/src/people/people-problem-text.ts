import { createProblemText } from '@platen/app/frame'
import { PROBLEM_TEXTS } from '../shell/problem-text.ts'

/** What administrators read if a change of an account failed. */
export const peopleProblemText = createProblemText({
  ...PROBLEM_TEXTS,
  last_administrator: 'consolePeople.problemLastAdministrator',
  factor_reset_exists: 'consolePeople.problemResetExists',
  factor_reset_not_found: 'consolePeople.problemResetEnded',
  second_administrator_required: 'consolePeople.needsAnother',
  factor_reset_of_self: 'consolePeople.resetNotOwn',
  mfa_not_enabled: 'consolePeople.noFactors',
  invitation_not_found: 'consolePeople.problemInvitationEnded',
  registration_closed: 'consolePeople.problemRegistrationClosed',
  validation_failed: 'consolePeople.problemEmail',
})
