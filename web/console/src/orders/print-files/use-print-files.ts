import { saveBlob } from '@platen/app/files'
import { platen } from '@platen/app/session'
import { type DownloadPrintFilesRequest, PlatenError, type ProblemDetail } from '@platen/client'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

export type PrintFormat = DownloadPrintFilesRequest['format']

/** An order that keeps a download from being complete. */
export interface PrintFault {
  orderId: string
  orderNumber: string | null
  code: ProblemDetail['code']
}

/** Downloads the print files of orders and saves them. The component that uses it ends the download when it goes. */
export function usePrintFiles(format: PrintFormat) {
  /** From 0 to 100. Undefined until the first bytes arrive. */
  const [progress, setProgress] = useState<number>()
  const controller = useRef(new AbortController())
  useEffect(() => {
    const current = new AbortController()
    controller.current = current
    return () => current.abort()
  }, [])
  const download = useMutation({
    mutationFn: async (orderIds: readonly string[]) => {
      setProgress(undefined)
      const { signal } = controller.current
      // The request ends with the dialog. A large archive may take longer than any limit that is useful elsewhere.
      const options = { signal, timeoutMs: 0 }
      const response = await platen.production.downloadPrintFiles({ format, orderIds: [...orderIds] }, options)
      saveBlob(`print-files.${format}`, await readWith(response, setProgress))
    },
  })
  return { download, progress, faults: faultsIn(download.error) }
}

/** Reads a response without keeping its bytes in the memory of the page, and reports how much has arrived. */
function readWith({ body, headers }: Response, onProgress: (percentage: number) => void): Promise<Blob> {
  const total = Number(headers.get('content-length'))
  let arrived = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, stream) => {
      arrived += piece.length
      if (total > 0) onProgress((100 * arrived) / total)
      stream.enqueue(piece)
    },
  })
  const type = headers.get('content-type') ?? ''
  return new Response(body?.pipeThrough(counter) ?? null, { headers: { 'content-type': type } }).blob()
}

function faultsIn(error: Error | null): readonly PrintFault[] {
  return error instanceof PlatenError && error.code === 'print_files_unavailable' ? error.errors : []
}
