import { Select, useTexts } from '@platen/ui'
import { isRoleName, type RoleName, roleHelp, useRoleChoices } from './roles.ts'

export interface RoleSelectProps {
  value: RoleName
  onChange(role: RoleName): void
  isDisabled?: boolean
}

/** A choice of a role, with what it may do. */
export function RoleSelect({ value, onChange, isDisabled = false }: RoleSelectProps) {
  const texts = useTexts()
  return (
    <Select
      label={texts.text('consolePeople.role')}
      description={roleHelp(texts, value)}
      choices={useRoleChoices()}
      value={value}
      isDisabled={isDisabled}
      onChange={(role) => {
        if (isRoleName(role)) onChange(role)
      }}
    />
  )
}
