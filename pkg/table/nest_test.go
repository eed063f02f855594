package table

import (
	"strings"
	"testing"
)

// paths are the rows with their parents, a line each; "-" marks a section row.
func paths(t *Table) string {
	var b strings.Builder
	for i := range t.Rows {
		if t.Rows[i].Section {
			b.WriteString("- ")
		}
		b.WriteString(t.Rows[i].Full() + "\n")
	}
	return b.String()
}

func TestSections(t *testing.T) {
	for name, c := range map[string]struct{ rows, want string }{
		"a total of a part does not end the whole": {
			`Assets||
Bank|10|20
Stock|30|40
Total current assets|40|60
Land|5|5
Total assets|45|65
Debts|1|1`,
			`- Assets
Assets > Bank
Assets > Stock
Assets > Total current assets
Assets > Land
Assets > Total assets
Debts
`},
		"parts stay in a whole whose sum is named like it": {
			`Other gains/(losses), net:||
Currency|3|4
Hedges:||
Opened|100|200
Closed|(20)|(30)
Total gains on hedges|80|170
Pensions:||
Paid|7|8
Total pensions|7|8
Other gains/(losses), net|90|182
All gains|900|1,820`,
			`- Other gains/(losses), net:
Other gains/(losses), net > Currency
- Other gains/(losses), net > Hedges:
Other gains/(losses), net > Hedges > Opened
Other gains/(losses), net > Hedges > Closed
Other gains/(losses), net > Hedges > Total gains on hedges
- Other gains/(losses), net > Pensions:
Other gains/(losses), net > Pensions > Paid
Other gains/(losses), net > Pensions > Total pensions
Other gains/(losses), net > Other gains/(losses), net
All gains
`},
		"one of two alternatives sums up": {
			`(Loss)/profit from trade:||
North|(500)|40
South|100|50
Segment loss|(400)|90
Shared costs|(20)|(10)
Loss from trade|(420)|80
Interest|7|8`,
			`- (Loss)/profit from trade:
(Loss)/profit from trade > North
(Loss)/profit from trade > South
(Loss)/profit from trade > Segment loss
(Loss)/profit from trade > Shared costs
(Loss)/profit from trade > Loss from trade
Interest
`},
		"a sum without a label ends its section": {
			`Gains, net of tax:||
Currency|(643)|(369)
Hedges|200|155
|(443)|(214)
Whole income|8,570|8,257`,
			`- Gains, net of tax:
Gains, net of tax > Currency
Gains, net of tax > Hedges
Gains, net of tax
Whole income
`},
		"the last of several sums ends it": {
			`Hedges:||
Rates|40|50
Metals|60|70
Losses before tax|100|120
Tax|(23)|(25)
Losses after tax|77|95
Shares|400|500
Pensions:||
Paid|1|2`,
			`- Hedges:
Hedges > Rates
Hedges > Metals
Hedges > Losses before tax
Hedges > Tax
Hedges > Losses after tax
Shares
- Pensions:
Pensions > Paid
`},
		"a sum without a label is no end when a total follows": {
			`Plant:||
Land|100|110
Halls|300|310
|400|420
Worn|(50)|(60)
Total|350|360
Wear of the year|9|10`,
			`- Plant:
Plant > Land
Plant > Halls
Plant
Plant > Worn
Plant > Total
Plant > Wear of the year
`},
		"the last total is the table's": {
			`Before:||
North|100|200
South|300|400
After:||
East|500|600
West|700|800
Total|1,600|2,000`,
			`- Before:
Before > North
Before > South
- After:
After > East
After > West
Total
`},
		"the first label of a section gives its level": {
			`**Lent**||
Cards||
Home|11|12
Abroad|13|14
**Owed**||
Deposits||
Home||
Sight|21|22
Term|23|24
Abroad||
Term|25|26
Loans||
Home|31|32
Abroad|33|34`,
			`- Lent
- Lent > Cards
Lent > Cards > Home
Lent > Cards > Abroad
- Owed
- Owed > Deposits
- Owed > Deposits > Home
Owed > Deposits > Home > Sight
Owed > Deposits > Home > Term
- Owed > Deposits > Abroad
Owed > Deposits > Abroad > Term
- Owed > Loans
Owed > Loans > Home
Owed > Loans > Abroad
`},
		"a list by something ends with what it has in common": {
			`**Financing**||
New bonds|500|600
Notes, by term:||
Over three months, taken|19|8
Over three months, paid|(12)|(7)
Up to three months, net|(3)|4
Dividends|(61)|(58)
Net financing|443|547`,
			`- Financing
Financing > New bonds
- Financing > Notes, by term:
Financing > Notes, by term > Over three months, taken
Financing > Notes, by term > Over three months, paid
Financing > Notes, by term > Up to three months, net
Financing > Dividends
Financing > Net financing
`},
		"a row of an account without values": {
			`Open at December 31, 2021|30|31
Given|5|6
Lapsed||
Open at December 31, 2022|35|37
Due|9|9`,
			`Open at December 31, 2021
Given
Lapsed
Open at December 31, 2022
Due
`},
		"a row with a value of its own heads the rows below": {
			`Core capital|7.0|
The group||10.3
The bank||11.3
Whole capital|8.5|
The group||11.1
The bank||12.3`,
			`Core capital
Core capital > The group
Core capital > The bank
Whole capital
Whole capital > The group
Whole capital > The bank
`},
		"rows whose values stand apart head nothing": {
			`Open|10|
Gain||5
Paid|(2)|
Gain||6
Bought|3|
Close|11|11`,
			`Open
Gain
Paid
Gain
Bought
Close
`},
		"a row whose values head columns": {
			`Stock:||
Cloth|10|20
Total|10|20
Plant|Useful years|
Halls||300
Tools|15 - 40|60`,
			`- Stock:
Stock > Cloth
Stock > Total
Plant
Plant > Halls
Plant > Tools
`},
	} {
		t.Run(name, func(t *testing.T) {
			src := "| | A | B |\n|---|---|---|\n"
			for _, row := range strings.Split(c.rows, "\n") {
				src += "|" + row + "|\n"
			}
			if got := paths(&Find([]byte(src), 1)[0]); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
