import type { Asset, Platen } from '@platen/client'
import { createValueStore } from '../../state/value-store.ts'
import { type UploadProblem, uploadProblemOf } from './upload-problem.ts'

export interface Upload {
  id: string
  name: string
  bytes: number
  /** From 0 to 1. At 1 the service examines the image. */
  progress: number
  status: 'waiting' | 'uploading' | 'failed'
  problem?: UploadProblem
}

export interface Uploads {
  /** The uploads that are not complete, oldest first. */
  get(): readonly Upload[]
  subscribe(listener: () => void): () => void
  /** @param onAsset called with the asset of each file that the service accepts */
  add(files: readonly File[], onAsset: (asset: Asset, file: File) => void): void
  /** Ends an upload, or removes a failed one from the list. */
  cancel(id: string): void
  retry(id: string): void
  dispose(): void
}

interface Job {
  file: File
  onAsset(asset: Asset, file: File): void
  abort: AbortController | undefined
}

/** More at a time share the same connection and make each one slower. */
const MOST_AT_A_TIME = 2

export function createUploads(client: Pick<Platen, 'assets'>): Uploads {
  const list = createValueStore<readonly Upload[]>([])
  const jobs = new Map<string, Job>()
  let count = 0

  const patch = (id: string, change: Partial<Upload>): void =>
    list.set(list.get().map((upload) => (upload.id === id ? { ...upload, ...change } : upload)))
  const drop = (id: string): void => {
    jobs.delete(id)
    list.set(list.get().filter((upload) => upload.id !== id))
  }

  const start = async (id: string, job: Job): Promise<void> => {
    const abort = new AbortController()
    job.abort = abort
    patch(id, { status: 'uploading', progress: 0 })
    try {
      const asset = await client.assets.upload(job.file, {
        signal: abort.signal,
        onProgress: ({ loadedBytes, totalBytes = job.file.size }) =>
          patch(id, { progress: totalBytes === 0 ? 1 : Math.min(1, loadedBytes / totalBytes) }),
      })
      if (abort.signal.aborted) return
      drop(id)
      job.onAsset(asset, job.file)
    } catch (error) {
      if (!abort.signal.aborted) patch(id, { status: 'failed', problem: uploadProblemOf(error) })
    } finally {
      startNext()
    }
  }
  const startNext = (): void => {
    const active = list.get().filter(({ status }) => status === 'uploading').length
    const waiting = list.get().filter(({ status }) => status === 'waiting')
    for (const { id } of waiting.slice(0, Math.max(0, MOST_AT_A_TIME - active))) {
      const job = jobs.get(id)
      if (job !== undefined) void start(id, job)
    }
  }
  const cancel = (id: string): void => {
    jobs.get(id)?.abort?.abort()
    drop(id)
    startNext()
  }

  return {
    get: list.get,
    subscribe: list.subscribe,
    add(files, onAsset) {
      const added = files.map((file): Upload => {
        const id = `upload-${++count}`
        jobs.set(id, { file, onAsset, abort: undefined })
        return { id, name: file.name, bytes: file.size, progress: 0, status: 'waiting' }
      })
      list.set([...list.get(), ...added])
      startNext()
    },
    cancel,
    retry(id) {
      list.set(
        list.get().map((upload) => {
          if (upload.id !== id) return upload
          const { problem: _, ...again } = upload
          return { ...again, status: 'waiting', progress: 0 }
        }),
      )
      startNext()
    },
    dispose() {
      for (const { id } of list.get()) cancel(id)
    },
  }
}
