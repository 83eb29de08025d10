import { Button, Icon } from '@platen/ui'
import { type ChangeEvent, useRef, useState } from 'react'
import { useEditor } from '../../../state/use-editor.ts'
import { problemText } from '../../images/upload-list.tsx'
import { type UploadProblem, uploadProblemOf } from '../../services/upload-problem.ts'
import { useEngine } from '../../services/use-panels.ts'

/** Uploads a font of the customer, and uses it. */
export function FontUpload({ isDisabled, onFamily }: { isDisabled: boolean; onFamily(family: string): void }) {
  const { client, text, announce, locale } = useEditor()
  const engine = useEngine()
  const inputRef = useRef<HTMLInputElement>(null)
  const [isUploading, setIsUploading] = useState(false)
  const [problem, setProblem] = useState<UploadProblem>()
  const upload = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = target.files ?? []
    if (file === undefined) return
    setIsUploading(true)
    setProblem(undefined)
    try {
      const { family } = await client.fonts.upload(file)
      await engine?.fonts.refresh()
      onFamily(family)
      announce(text('fontUploaded', { name: family }))
    } catch (error) {
      setProblem(uploadProblemOf(error))
    } finally {
      setIsUploading(false)
      target.value = ''
    }
  }
  return (
    <div className="pe-wide">
      <input
        ref={inputRef}
        type="file"
        hidden
        accept=".ttf,.otf,.woff,.woff2"
        onChange={(event) => void upload(event)}
        aria-label={text('uploadFont')}
      />
      <Button isDisabled={isDisabled} isPending={isUploading} onPress={() => inputRef.current?.click()}>
        <Icon name="upload" />
        {text(isUploading ? 'fontUploading' : 'uploadFont')}
      </Button>
      {problem === undefined ? null : (
        <p className="pe-problem" role="alert">
          {problemText(problem, text, locale)}
        </p>
      )}
    </div>
  )
}
