import { createProblemText } from '@platen/app/frame'
import { PROBLEM_TEXTS } from '../shell/problem-text.ts'

/** What developers read if a change of an endpoint or an API key failed. */
export const developersProblemText = createProblemText({
  ...PROBLEM_TEXTS,
  api_key_expired: 'account.problemExpiry',
  too_many_api_keys: 'account.problemTooManyKeys',
  too_many_pending_deliveries: 'consoleDevelopers.problemTooManyPending',
  too_many_webhook_endpoints: 'consoleDevelopers.problemTooManyEndpoints',
  replay_too_large: 'consoleDevelopers.problemReplayTooLarge',
  validation_failed: 'consoleDevelopers.problemInput',
  webhook_endpoint_disabled: 'consoleDevelopers.problemDisabled',
  webhook_event_expired: 'consoleDevelopers.problemEventExpired',
  webhook_event_not_permitted: 'consoleDevelopers.problemEventNotPermitted',
  webhook_url_refused: 'consoleDevelopers.problemUrl',
})
