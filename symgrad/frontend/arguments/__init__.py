"""What a call is made with: structures and types without the data, keys of specialisation, which
argument goes to which parameter, how arrays lie in memory and which share it.
"""
