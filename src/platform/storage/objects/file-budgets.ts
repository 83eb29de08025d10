import { setTimeout as delay } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { currentRequest } from '../../concurrency/request-context.ts'
import { TransferLimited } from '../../db/admission/connection-gate.ts'
import type { TransferBudgets, TransferRates, TransferUse } from '../../db/admission/transfer-budgets.ts'
import { countUse } from '../../db/metrics.ts'

/** Bounds how fast a caller writes files. */
export interface FileBudget {
  /**
   * Call this function before a file of the current request is received.
   *
   * @throws {TransferLimited} if other files of the caller, or of its network, already take all that it may write
   */
  requireRoom(): void
  /**
   * Charges bytes to the caller of the current request, and waits until it may write them. Call this function before the next
   * part of a request is read, so that the client can send no faster.
   *
   * @param signal ends the wait of work that ends with its client; the bytes stay charged. Other work waits on, because a
   *   client could otherwise evade the limit by leaving
   * @throws {ClientGone} if the signal is aborted
   */
  pace(bytes: number, signal?: AbortSignal): Promise<void>
}

/** Never waits. For the programs of operators, and without limits of rates. */
export const UNPACED: FileBudget = { requireRoom: () => undefined, pace: async () => undefined }

/**
 * A file that begins now would have to wait this long for each of its parts of 64 KiB, so it could not be complete before
 * its request ends.
 */
const LONGEST_WAIT_MS = 1_000

/**
 * Returns the rates of files for the rate of records. With 8 MiB/s of records, a customer writes and reads 16 MiB/s of
 * files each after the first 128 MiB, more than most clients can send.
 */
export function fileRates(bytesPerSecond: number): TransferRates {
  const ofOne = 2 * bytesPerSecond
  return {
    visitors: { ofOne, ofAll: 2 * ofOne, burst: 4 * ofOne },
    established: { ofOne, ofAll: 4 * ofOne, burst: 8 * ofOne },
  }
}

/** @param budgets those of `fileRates`. Undefined: files are not limited */
export function createFileBudget(budgets: TransferBudgets | undefined): FileBudget {
  if (budgets === undefined) return UNPACED
  const payerOfCaller = () => {
    const request = currentRequest()
    return request === undefined ? undefined : budgets.payerOf(request)
  }
  return {
    requireRoom: () => {
      const payer = payerOfCaller()
      const waitMs = payer?.waitMs() ?? 0
      if (waitMs <= LONGEST_WAIT_MS) return
      payer?.note('refusals')
      throw new TransferLimited(waitMs)
    },
    pace: async (bytes, signal) => {
      const payer = payerOfCaller()
      if (payer === undefined) return
      payer.charge(bytes)
      const waitMs = payer.waitMs()
      if (waitMs === 0) return
      payer.note('waits')
      await delay(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => {
        throw new ClientGone('file')
      })
    },
  }
}

interface FileUse {
  written: TransferUse | undefined
  read: TransferUse | undefined
}

/** Exposes the bytes that callers write and read, and how often they waited or were refused. */
export function measureFiles(registry: Registry, { written, read }: FileUse): void {
  countUse(registry, () => written, {
    bytes: {
      name: 'platen_written_file_bytes_total',
      help: 'Bytes of uploads and drawn files that were charged to callers, by kind of caller.',
    },
    waits: {
      name: 'platen_written_file_waits_total',
      help: 'Parts of uploads and drawn files that waited because their caller had written too many bytes.',
    },
    refusals: {
      name: 'platen_written_file_refusals_total',
      help: 'Uploads that were refused because their caller had written too many bytes.',
    },
  })
  countUse(registry, () => read, {
    bytes: {
      name: 'platen_read_file_bytes_total',
      help: 'Bytes of downloads that were charged to callers, by kind of caller.',
    },
    waits: {
      name: 'platen_read_file_waits_total',
      help: 'Parts of downloads that waited because their caller had read too many bytes.',
    },
  })
}
