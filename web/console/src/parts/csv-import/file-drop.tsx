import { Button, classes, Icon, useTexts } from '@platen/ui'
import { type DragEvent, useRef, useState } from 'react'

export interface FileDropProps {
  /** The name of the chosen file. */
  name: string | undefined
  isDisabled: boolean
  onFile(file: File): void
}

/** Takes a CSV file that the operator drops or chooses. */
export function FileDrop({ name, isDisabled, onFile }: FileDropProps) {
  const { text } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const take = (files: FileList | null): void => {
    const file = files?.[0]
    if (file !== undefined && !isDisabled) onFile(file)
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files)
  }
  return (
    <fieldset
      className={classes('file-drop', isOver && 'over')}
      aria-label={text('console.importFile')}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,text/csv,.txt"
        aria-label={text('console.importChoose')}
        onChange={({ target }) => {
          take(target.files)
          // Choosing the same file again, after it was corrected, must be a change too.
          target.value = ''
        }}
      />
      <Button isDisabled={isDisabled} onPress={() => input.current?.click()}>
        <Icon name="upload" size={18} />
        {text('console.importChoose')}
      </Button>
      <span className="note">{name ?? text('console.importDrop')}</span>
    </fieldset>
  )
}
