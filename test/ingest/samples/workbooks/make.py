"""Writes the workbooks of this folder with programs that are not ours: XlsxWriter and openpyxl. All data is made up.

register.ods is register.xlsx, saved by Gnumeric: ssconvert register.xlsx register.ods
"""

from datetime import date, datetime

import openpyxl
import xlsxwriter

MADE = {"created": datetime(2026, 1, 5)}


def register():
    book = xlsxwriter.Workbook("register.xlsx")
    book.set_properties(MADE)
    cover = book.add_worksheet("Cover")
    cover.write("B2", "Apollo bridge renewal")
    cover.write("B3", "Version 7, draft")
    sheet = book.add_worksheet("Risks")
    lists = book.add_worksheet("Lists")
    lists.write_row("A1", ["Reference", "Title", "Status"])
    lists.hide()
    day = book.add_format({"num_format": "dd.mm.yyyy"})
    moment = book.add_format({"num_format": 22})
    percent = book.add_format({"num_format": "0%"})
    fine = book.add_format({"num_format": "0.00%"})
    number = book.add_format({"num_format": '"R-"000'})
    bold = book.add_format({"bold": True})
    sheet.merge_range("A1:J1", "Risk register", bold)
    sheet.write("A3", "As of")
    sheet.write("B3", date(2026, 2, 3), day)
    sheet.write_row(
        "A5",
        ["Category", "Reference", "Title", "Raised\non:", "Review on", "Likelihood", "Impact", "Score", "Description", "Owner name"],
    )
    sheet.merge_range("A6:A8", "Supply")
    sheet.write("B6", 7, number)
    sheet.write("C6", "Steel arrives late")
    sheet.write("D6", date(2026, 1, 31), day)
    sheet.write("E6", datetime(2026, 3, 1, 17, 30), moment)
    sheet.write("F6", 4)
    sheet.write("G6", 5)
    sheet.write_formula("H6", "=F6*G6", None, 20)
    sheet.write("I6", 0.4, percent)
    sheet.write("J6", True)
    sheet.write("B7", 12, number)
    sheet.write_rich_string("C7", "Crane ", bold, "permit", ", once more")
    sheet.write("D7", date(1999, 12, 31), day)
    sheet.write("F7", 2)
    sheet.write("G7", 4)
    sheet.write_formula("H7", "=F7*G7", None, "#REF!")
    sheet.write("I7", 0.125, fine)
    sheet.write("J7", False)
    sheet.set_row(6, None, None, {"hidden": True})
    sheet.write("B8", "R-99")
    sheet.write_formula("C8", '=CONCATENATE("Wind ","& <rain>")', None, "Wind & <rain>")
    sheet.write("F8", 1)
    sheet.write("G8", 0.1 + 0.2 + 0.7)
    sheet.write_blank("C9", None, bold)
    sheet.write_blank("XFD9", None, bold)
    sheet.write("A10", "Weather")
    sheet.write("B10", "R-100")
    sheet.write("C10", "Ice_x000D_ and snow")
    book.close()


def mac():
    book = xlsxwriter.Workbook("mac.xlsx", {"date_1904": True, "constant_memory": True})
    book.set_properties(MADE)
    day = book.add_format({"num_format": "d. mmm yyyy"})
    sheet = book.add_worksheet("Sheet1")
    sheet.write_row(0, 0, ["Reference", "Title", "Raised on"])
    sheet.write(1, 0, "M-1")
    sheet.write(1, 1, "Größe 😀")
    sheet.write(1, 2, date(2026, 2, 3), day)
    sheet.write(2, 0, "M-2")
    sheet.write(2, 1, "Leap day")
    sheet.write(2, 2, date(2028, 2, 29), day)
    book.close()


def formulas():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Risks"
    sheet.append(["Reference", "Title", "Likelihood", "Impact", "Score", "Raised on"])
    sheet.append([1, "Steel", 4, 5, "=C2*D2", date(2026, 2, 3)])
    sheet.append([2, "Wind", 1, 2, "=C3*D3", date(1900, 2, 28)])
    sheet.append([3, "Rain", 1, 2, "=C4*D4", date(1900, 3, 1)])
    book.save("formulas.xlsx")


register()
mac()
formulas()
