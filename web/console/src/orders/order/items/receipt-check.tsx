import { saveFile } from '@platen/app/files'
import { Button, Icon, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { verifyReceipt } from '../../receipt.ts'

/** The signed receipt of a design: verified with the public keys of the service, and saved. */
export function ReceiptCheck({ receipt, name }: { receipt: string; name: string }) {
  const { text, formats } = useTexts()
  const check = useMutation({ mutationFn: () => verifyReceipt(receipt) })
  return (
    <li>
      <Button look="quiet" isPending={check.isPending} onPress={() => check.mutate()}>
        <Icon name="check" size={18} />
        {text('console.checkReceipt')}
      </Button>
      <Button look="quiet" onPress={() => saveFile(`${name}.jws`, 'application/jose', receipt)}>
        <Icon name="download" size={18} />
        {text('console.receipt')}
      </Button>
      <span role="status" className="note">
        {check.error === null ? null : text('console.receiptUnchecked')}
        {check.data === undefined
          ? null
          : check.data.isGenuine
            ? text('console.receiptGenuine', { date: formats.dateTime(check.data.finalizedAt) })
            : text('console.receiptForged')}
      </span>
    </li>
  )
}
