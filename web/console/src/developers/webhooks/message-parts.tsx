/** The headers of a message, folded. */
export function Headers({ headers, title }: { headers: Record<string, string> | undefined; title: string }) {
  if (headers === undefined) return null
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return <Folded title={title} text={lines.join('\n')} />
}

/** The body of a message. JSON is indented. */
export function Payload({ text, title }: { text: string | undefined; title: string }) {
  return text === undefined || text === '' ? null : <Folded title={title} text={indented(text)} />
}

function Folded({ title, text }: { title: string; text: string }) {
  return (
    <details className="payload">
      <summary>{title}</summary>
      <pre>{text}</pre>
    </details>
  )
}

/** A body need not be JSON, and a response may be cut. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
