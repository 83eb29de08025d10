import { ListBoxItem } from 'react-aria-components/ListBox'
import { Icon } from '../icon/icon.tsx'
import type { Choice } from './choice.ts'

export function ChoiceItem({ choice }: { choice: Choice }) {
  return (
    <ListBoxItem
      id={choice.id}
      textValue={choice.text}
      isDisabled={choice.isDisabled ?? false}
      className="pl-list-item"
    >
      {({ isSelected }) => (
        <>
          <span className="pl-list-item-text">{choice.content ?? choice.text}</span>
          {isSelected ? <Icon name="check" size={18} /> : null}
        </>
      )}
    </ListBoxItem>
  )
}
