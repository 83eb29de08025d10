/** Has the browser save a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type }))
}

/** Has the browser save bytes as a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  download(url, name)
  // The browser reads the file after this task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Has the browser save what a URL leads to. */
export function download(url: string, name: string): void {
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name })
  link.click()
}
