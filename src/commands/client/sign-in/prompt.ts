import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from '../../command-line/command-error.ts'

/** Asks for lines on standard input. Questions go to standard error, so that output can be redirected. */
export interface Prompt {
  ask(question: string): Promise<string>
  /** The same, without showing what is typed. */
  askHidden(question: string): Promise<string>
  close(): void
}

type Input = NodeJS.ReadableStream & { isTTY?: boolean }

/** Opens standard input. If it is not a terminal, each question takes the next line, and no question is written. */
export function openPrompt(input: Input = process.stdin, output: NodeJS.WritableStream = process.stderr): Prompt {
  const isTerminal = input.isTTY === true
  let isHidden = false
  // Readline writes what is typed to its output, except while a secret is typed.
  const echo = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isHidden) output.write(chunk)
      done()
    },
  })
  // Readline would put the password into its history, from which an arrow key brings it back into a visible line.
  const lines = createInterface({ input, output: echo, terminal: isTerminal, historySize: 0 })
  const read = createReader(lines)
  const ask = async (question: string): Promise<string> => {
    if (isTerminal) output.write(question)
    const line = await read()
    if (line === undefined) throw new CommandError(`Standard input ended before a line for "${question.trim()}".`)
    return line
  }
  return {
    ask: async (question) => (await ask(question)).trim(),
    askHidden: async (question) => {
      isHidden = true
      try {
        return await ask(question)
      } finally {
        isHidden = false
        if (isTerminal) output.write('\n')
      }
    },
    close: () => lines.close(),
  }
}

/** Returns a function that reads the next line. It also returns lines that arrived before they were asked for. */
function createReader(lines: Interface): () => Promise<string | undefined> {
  const waiting: string[] = []
  let isClosed = false
  let deliver: ((line: string | undefined) => void) | undefined
  lines.on('line', (line) => {
    if (deliver === undefined) waiting.push(line)
    else deliver(line)
    deliver = undefined
  })
  lines.on('close', () => {
    isClosed = true
    deliver?.(undefined)
  })
  // In raw mode, Ctrl-C arrives as a character.
  lines.on('SIGINT', () => lines.close())
  return () => {
    if (waiting.length > 0 || isClosed) return Promise.resolve(waiting.shift())
    return new Promise((resolve) => {
      deliver = resolve
    })
  }
}
