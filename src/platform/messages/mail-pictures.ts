/** A picture that the HTML of a mail shows as `cid:ID`. */
export interface MailPicture {
  /** Letters, digits and hyphens, unique in the mail. */
  cid: string
  mediaType: string
  base64: string
}

/** Replaces the `cid:` URLs in attributes of HTML. */
export function withPictures(
  html: string,
  pictures: readonly MailPicture[],
  urlOf: (picture: MailPicture) => string,
): string {
  const byCid = new Map(pictures.map((picture) => [picture.cid, picture]))
  return html.replaceAll(/"cid:([A-Za-z0-9-]+)"/g, (url, cid: string) => {
    const picture = byCid.get(cid)
    return picture === undefined ? url : `"${urlOf(picture)}"`
  })
}

export function dataUrlOf({ mediaType, base64 }: MailPicture): string {
  return `data:${mediaType};base64,${base64}`
}
