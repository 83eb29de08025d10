import { Button, Icon } from '@platen/ui'
import { useRef } from 'react'

export interface FileButtonProps {
  label: string
  /** The types and endings of the files, as in the attribute `accept`. */
  accept: string
  isMultiple?: boolean
  isPending?: boolean
  isDisabled?: boolean
  /** Gets at least one file. */
  onFiles(files: readonly [File, ...File[]]): void
}

/** Opens the file dialog of the browser. */
export function FileButton({ label, accept, isMultiple = false, isPending, isDisabled, onFiles }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple={isMultiple}
        accept={accept}
        aria-label={label}
        onChange={({ target }) => {
          const [first, ...others] = target.files ?? []
          // Choosing the same file again, after it was corrected, must be a change too.
          target.value = ''
          if (first !== undefined) onFiles([first, ...others])
        }}
      />
      <Button isPending={isPending ?? false} isDisabled={isDisabled ?? false} onPress={() => input.current?.click()}>
        <Icon name="upload" size={18} />
        {label}
      </Button>
    </>
  )
}
