import { Button, useTexts } from '@platen/ui'

/** Asks for an answer to what the customer has written. Undefined: the user may not give one now. */
export type OnAnswer = ((reply: string) => void) | undefined

export function AnswerButton({ reply, onAnswer }: { reply: string; onAnswer(reply: string): void }) {
  const { text } = useTexts()
  return <Button onPress={() => onAnswer(reply)}>{text('console.answerCustomer')}</Button>
}
