import { PlatenError, type Product } from '@platen/client'
import { Banner, Button, useTexts } from '@platen/ui'
import { catalogueProblemText } from '../catalogue-problem-text.ts'
import { faultText } from '../fault-text.ts'
import { changesOf, toDraft } from './draft/draft.ts'
import type { DraftProps } from './draft/draft-props.ts'
import { useFaultName, useFieldTexts } from './draft/field-texts.ts'
import { focusPlace } from './draft/focus-place.ts'

export interface SaveBarProps extends DraftProps {
  action: { isPending: boolean; error: Error | null }
  confirmLabel: string
}

/** Saves what was changed, and says why it could not be saved. It stays in sight. */
export function SaveBar({ state, action, confirmLabel }: SaveBarProps) {
  const texts = useTexts()
  const { text } = texts
  const { isChanged, discard, product, newer } = state
  if (!isChanged && product !== undefined) return null
  const noteText = (): string => {
    if (product === undefined) return text('consoleCatalogue.createHelp')
    return isChanged ? text('consoleCatalogue.unsaved') : ''
  }
  return (
    <div className="save-bar">
      {newer === undefined ? <Faults state={state} error={action.error} /> : <Conflict state={{ ...state, newer }} />}
      <div className="save-buttons">
        <p className="note">{noteText()}</p>
        {isChanged && newer === undefined ? (
          <Button onPress={discard}>{text('consoleCatalogue.discard')}</Button>
        ) : null}
        {newer === undefined ? (
          <Button type="submit" look="primary" isPending={action.isPending}>
            {confirmLabel}
          </Button>
        ) : null}
      </div>
    </div>
  )
}

/** Faults that are listed. Each further one is at its field. */
const MOST_FAULTS = 5

/** What could not be saved, with the field of each fault, to which a press leads. */
function Faults({ state: { faults, draft }, error }: DraftProps & { error: Error | null }) {
  const texts = useTexts()
  const nameOf = useFaultName(draft)
  // Once the last fault is corrected, the message would be out of date.
  const isCorrected = error instanceof PlatenError && error.errors.length > 0 && faults.length === 0
  if ((error === null && faults.length === 0) || isCorrected) return null
  return (
    <Banner tone="danger" isLive>
      <p>{error === null ? texts.text('consoleCatalogue.problemInvalid') : catalogueProblemText(texts, error)}</p>
      {faults.length === 0 ? null : (
        <ul className="save-faults">
          {faults.slice(0, MOST_FAULTS).map((fault) => (
            <li key={`${fault.pointer} ${fault.code}`}>
              <button type="button" className="save-fault" onClick={(event) => leadTo(event, fault.pointer)}>
                {nameOf(fault.pointer)}
              </button>{' '}
              {faultText(texts, fault)}
            </li>
          ))}
          {faults.length > MOST_FAULTS ? (
            <li>{texts.text('consoleCatalogue.moreFaults', { count: faults.length - MOST_FAULTS })}</li>
          ) : null}
        </ul>
      )}
    </Banner>
  )
}

function leadTo({ currentTarget: { form } }: { currentTarget: HTMLButtonElement }, pointer = ''): void {
  if (form !== null) focusPlace(form, pointer)
}

/** Another administrator has saved in the meantime. */
function Conflict({ state: { base, draft, newer, keepOwn, discard } }: DraftProps & { state: { newer: Product } }) {
  const { text } = useTexts()
  const { nameOf } = useFieldTexts(newer)
  const theirs = changesOf(base, toDraft(newer))
  const both = Object.keys(changesOf(base, draft)).filter((member) => member in theirs)
  return (
    <Banner tone="warning" isLive>
      <p>{text('consoleCatalogue.conflict')}</p>
      <p>
        {both.length === 0
          ? text('consoleCatalogue.conflictNone')
          : text('consoleCatalogue.conflictBoth', {
              fields: both.map((member) => nameOf(`/${member}`, undefined)).join(', '),
            })}
      </p>
      <div className="actions">
        <Button look="primary" onPress={keepOwn}>
          {text('consoleCatalogue.keepOwn')}
        </Button>
        <Button onPress={discard}>{text('consoleCatalogue.takeTheirs')}</Button>
      </div>
    </Banner>
  )
}
