import { isWebLink, readMarkdown } from '@platen/ui'
import type { Token, Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'

/** Shows CommonMark. HTML in it is text, and only links to web pages are links. */
export function Markdown({ source }: { source: string }) {
  return <div className="prose">{blocks(readMarkdown(source))}</div>
}

const keyed = (tokens: readonly Token[], show: (token: Token) => ReactNode): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change their order
    <Fragment key={index}>{show(token)}</Fragment>
  ))

const blocks = (tokens: readonly Token[]): ReactNode => keyed(tokens, block)
const inline = (tokens: readonly Token[] | undefined): ReactNode => keyed(tokens ?? [], span)

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'heading':
      return <h3>{inline(token.tokens)}</h3>
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>
    case 'list':
      return list(token as Tokens.List)
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>
    case 'hr':
      return <hr />
    case 'space':
      return null
    case 'code':
      return <p>{(token as Tokens.Code).text}</p>
    default:
      return other(token)
  }
}

/** Shows what is inside a token of another type, or its source. */
function other(token: Token): ReactNode {
  return 'tokens' in token && token.tokens !== undefined ? inline(token.tokens) : token.raw
}

function list({ ordered, items }: Tokens.List): ReactNode {
  const Name = ordered ? 'ol' : 'ul'
  return (
    <Name>
      {keyed(items, (item) => (
        <li>{blocks(item.type === 'list_item' ? (item.tokens ?? []) : [])}</li>
      ))}
    </Name>
  )
}

function span(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'br':
      return <br />
    case 'escape':
      return (token as Tokens.Escape).text
    case 'link': {
      const { href } = token as Tokens.Link
      if (!isWebLink(href)) return inline(token.tokens)
      return <a href={href}>{inline(token.tokens)}</a>
    }
    default:
      return other(token)
  }
}
