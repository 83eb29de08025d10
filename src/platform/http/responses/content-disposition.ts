/** A name of a downloaded file. */
export interface FileName {
  disposition: 'attachment' | 'inline'
  /** Visible ASCII without quotes. */
  fileName: string
  /** The name without its extension, in any script. */
  title?: string
}

/** Returns the value of `Content-Disposition` (RFC 6266). Clients that know `filename*` prefer it (RFC 8187). */
export function contentDisposition({ disposition, fileName, title = '' }: FileName): string {
  const plain = `${disposition}; filename="${fileName}"`
  const name = safeName(title)
  if (name === '') return plain
  const extension = /\.\w+$/.exec(fileName)?.[0] ?? ''
  return `${plain}; filename*=UTF-8''${percentEncoded(name + extension)}`
}

// File systems take 255 bytes, and a character has up to four.
const LONGEST = 60
// Separators of paths, and what Windows refuses.
const FORBIDDEN = /[/\\:*?"<>|]/g
// Characters that are not shown, such as those that turn the direction of the text and could hide the extension.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

function safeName(title: string): string {
  const shown = title.toWellFormed().normalize('NFC').replace(INVISIBLE, '').replace(FORBIDDEN, '-')
  const short = [...shown.replace(/\s+/g, ' ')].slice(0, LONGEST).join('')
  // Names that begin with a dot are hidden, and Windows removes dots and blanks from the end.
  return short.replace(/^[. ]+|[. ]+$/g, '')
}

/** Encodes all but the characters that RFC 8187 allows in values. */
function percentEncoded(value: string): string {
  return encodeURIComponent(value).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
