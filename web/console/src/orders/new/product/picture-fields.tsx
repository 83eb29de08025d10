import type { PrintArea } from '@platen/client'
import { Button, Icon, useTexts } from '@platen/ui'
import { useRef } from 'react'

const ACCEPTED = 'image/jpeg,image/png,image/webp,image/tiff,.jpg,.jpeg,.png,.webp,.tif,.tiff'

export interface PictureFieldsProps {
  areas: readonly PrintArea[]
  /** The chosen files, by the ids of their print areas. */
  pictures: ReadonlyMap<string, File>
  onChange(pictures: ReadonlyMap<string, File>): void
}

/** Asks for the picture of each print area. */
export function PictureFields({ areas, pictures, onChange }: PictureFieldsProps) {
  const { text } = useTexts()
  return (
    <fieldset className="pieces">
      <legend>{text('consoleNewOrder.pictures')}</legend>
      <p className="note">{text('consoleNewOrder.picturesHelp')}</p>
      {areas.map((area) => (
        <PictureField
          key={area.id}
          area={area}
          file={pictures.get(area.id)}
          onFile={(file) => onChange(new Map(pictures).set(area.id, file))}
        />
      ))}
    </fieldset>
  )
}

interface PictureFieldProps {
  area: PrintArea
  file: File | undefined
  onFile(file: File): void
}

function PictureField({ area: { name, required }, file, onFile }: PictureFieldProps) {
  const { text } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  const label = text('consoleNewOrder.pictureOf', { area: name })
  return (
    <div className="picture-choice">
      <input
        ref={input}
        type="file"
        hidden
        accept={ACCEPTED}
        aria-label={label}
        onChange={({ target }) => {
          const [chosen] = target.files ?? []
          target.value = ''
          if (chosen !== undefined) onFile(chosen)
        }}
      />
      <Button onPress={() => input.current?.click()}>
        <Icon name="upload" size={18} />
        {label}
      </Button>
      <span className="note">{file?.name ?? (required ? '' : text('console.optional'))}</span>
    </div>
  )
}
