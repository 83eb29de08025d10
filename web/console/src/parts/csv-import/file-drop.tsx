import { classes, useTexts } from '@platen/ui'
import { type DragEvent, useState } from 'react'
import { FileButton } from '../form/file-button.tsx'

export interface FileDropProps {
  /** The name of the chosen file. */
  name: string | undefined
  isDisabled: boolean
  onFile(file: File): void
}

/** Takes a CSV file that the operator drops or chooses. */
export function FileDrop({ name, isDisabled, onFile }: FileDropProps) {
  const { text } = useTexts()
  const [isOver, setIsOver] = useState(false)
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setIsOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined && !isDisabled) onFile(file)
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
      <FileButton
        label={text('console.importChoose')}
        accept=".csv,text/csv,.txt"
        isDisabled={isDisabled}
        onFiles={([file]) => onFile(file)}
      />
      <span className="note">{name ?? text('console.importDrop')}</span>
    </fieldset>
  )
}
