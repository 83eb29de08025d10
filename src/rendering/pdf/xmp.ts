/** Metadata of a print file, for the XMP packet and the document information. */
export type PrintMetadata = {
  title: string
  producer: string
  /** The content hash: SHA-256 in hexadecimal. */
  contentHash: string
}

/** PDF/X requires a creation date. All files have the same date, so that equal designs give equal bytes. */
export const FIXED_DATE = { xmp: '2000-01-01T00:00:00Z', pdf: 'D:20000101000000Z' } as const

export const PDFX_VERSION = 'PDF/X-4'

/**
 * Builds an XMP packet (ISO 16684-1) with the properties that PDF/X-4 requires (ISO 15930-7, section 6.8) and the
 * content hash.
 */
export function xmpPacket({ title, producer, contentHash }: PrintMetadata): string {
  return `<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about=""
    xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:xmp="http://ns.adobe.com/xap/1.0/"
    xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
    xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
    xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/"
    xmlns:platen="urn:platen:print-file#">
   <dc:format>application/pdf</dc:format>
   <dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(title)}</rdf:li></rdf:Alt></dc:title>
   <xmp:CreateDate>${FIXED_DATE.xmp}</xmp:CreateDate>
   <xmp:ModifyDate>${FIXED_DATE.xmp}</xmp:ModifyDate>
   <xmp:MetadataDate>${FIXED_DATE.xmp}</xmp:MetadataDate>
   <xmpMM:DocumentID>uuid:${uuidOf(contentHash)}</xmpMM:DocumentID>
   <xmpMM:VersionID>1</xmpMM:VersionID>
   <xmpMM:RenditionClass>default</xmpMM:RenditionClass>
   <pdf:Producer>${escapeXml(producer)}</pdf:Producer>
   <pdf:Trapped>False</pdf:Trapped>
   <pdfxid:GTS_PDFXVersion>${PDFX_VERSION}</pdfxid:GTS_PDFXVersion>
   <platen:ContentHash>${contentHash}</platen:ContentHash>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`
}

/** Builds a UUID of version 8 (RFC 9562) from the content hash, so that equal content has an equal UUID. */
function uuidOf(hash: string): string {
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`]
  return [...parts, hash.slice(20, 32)].join('-')
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
