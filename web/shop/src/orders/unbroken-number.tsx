/** A text with the number of an order, which stays in one line. Browsers would break it at its hyphens. */
export function UnbrokenNumber({ text, number }: { text: string; number: string }) {
  const [before, ...after] = text.split(number)
  if (after.length === 0) return text
  return (
    <>
      {before}
      <span className="unbroken">{number}</span>
      {after.join(number)}
    </>
  )
}
